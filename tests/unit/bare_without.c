/* SPDX-License-Identifier: MIT */
/*
 * A program that uses none of the kinds of work (src/worker/source.h), so that their code is not
 * linked. Its pools must still set up everything that the rest of the library reads.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <nap/nap.h>

#include "harness.h"

#define WORKERS	3

static uint32_t begun, held, released;

static void wait_for_the_others(struct nap_task *task)
{
	(void)task;
	__atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&begun, __ATOMIC_RELAXED) < WORKERS)
		usleep(1000);
}

/* Holds up the last worker. A joiner waits for this worker's thread first. */
static void stop(struct nap_worker *worker, void *arg)
{
	(void)arg;
	if (nap_worker_index(worker) != WORKERS - 1)
		return;
	__atomic_store_n(&held, 1, __ATOMIC_RELAXED);
	while (!__atomic_load_n(&released, __ATOMIC_RELAXED))
		usleep(1000);
}

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = WORKERS, .worker_stop = stop);
static struct nap_task tasks[WORKERS];

TEST(workers_that_have_gone_home_are_not_busy)
{
	struct nap_pool_stats stats;
	struct nap_remaining left;

	for (int i = 0; i < WORKERS; i++) {
		nap_task_init(&tasks[i], wait_for_the_others);
		ASSERT_EQ(nap_schedule(&pool, &tasks[i]), 0);
	}
	while (__atomic_load_n(&begun, __ATOMIC_RELAXED) < WORKERS)
		usleep(1000);
	EXPECT_EQ(nap_pool_join_for(&pool, NULL, 50000000), -ETIMEDOUT);
	/*
	 * The last worker may be parked until it is in stop(), and a parked worker is not counted.
	 */
	while (!__atomic_load_n(&held, __ATOMIC_RELAXED))
		usleep(1000);
	do {
		usleep(1000);
		ASSERT_EQ(nap_pool_remaining(&pool, &left), 0);
	} while (left.workers > 1);
	EXPECT_EQ(left.workers, 1);
	ASSERT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(stats.running, 1);
	__atomic_store_n(&released, 1, __ATOMIC_RELAXED);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
