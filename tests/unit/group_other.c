/* SPDX-License-Identifier: MIT */
/*
 * A thread of one pool waits for a group of another pool when its own pool is stopped: at any time
 * of the wait, and whatever keeps the thread from parking.
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "sched/schedule.h"
#include "harness.h"
#include "watchdog.h"
#include "wrap.h"

static void waits_at_the_end(struct nap_worker *worker, void *arg);

static struct nap_pool home = NAP_POOL_INIT(.max_workers = 1);
static struct nap_pool other = NAP_POOL_INIT(.max_workers = 1);
static struct nap_pool lingering = NAP_POOL_INIT(.max_workers = 1, .worker_stop = waits_at_the_end);
static struct nap_pool alone = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);
static struct nap_group group = NAP_GROUP_INIT(&other);
static uint32_t stop_in_park, no_memory, waiting;
static int answer = 1;

/* Stops the pool between the wait's check of the phase and the worker's mark that it is idle. */
WRAP(enum nap__verdict, nap__park, (struct nap_worker *worker, uint64_t deadline,
     uint32_t *reasons))
{
	if (nap_worker_pool(worker) == &home && nap_xchg_relaxed(&stop_in_park, 0))
		nap_pool_shutdown(&home, NAP_STOP);
	return __real_nap__park(worker, deadline, reasons);
}

WRAP(void *, nap__os_map, (size_t size))
{
	return nap_load_relaxed(&no_memory) ? NULL : __real_nap__os_map(size);
}

static void wait_for_the_group(void)
{
	nap_store_relaxed(&waiting, 1);
	answer = nap_group_wait(&group);
}

static void waits(struct nap_task *task)
{
	(void)task;
	wait_for_the_group();
}

static void waits_and_is_stopped(struct nap_task *task)
{
	nap_store_relaxed(&stop_in_park, 1);
	waits(task);
}

static void waits_at_the_end(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	wait_for_the_group();
}

static void ends(struct nap_task *task)
{
	(void)task;
}

/* Stops the pool when the waiter has had time to fall asleep. */
static void *stops(void *pool)
{
	while (!nap_load_relaxed(&waiting))
		usleep(100);
	usleep(5000);
	nap_pool_shutdown(pool, NAP_STOP);
	return NULL;
}

static void end(void)
{
	nap_group_done(&group);
	nap_pool_join(&other, NULL);
}

TEST(just_before_the_worker_parks)
{
	struct nap_task task = NAP_TASK_INIT(waits_and_is_stopped);

	watchdog(&home, 20);
	nap_group_add(&group, 1);
	ASSERT_EQ(nap_schedule(&home, &task), 0);
	EXPECT_EQ(nap_pool_join(&home, NULL), 0);
	EXPECT_EQ(answer, -ECANCELED);
	end();
}

/* A helper without memory for a guest record is unregistered: no thread can wake it as a worker. */
TEST(who_helps_and_stands_aside)
{
	struct nap_task task = NAP_TASK_INIT(waits);
	pthread_t thread;

	watchdog(&alone, 20);
	nap_group_add(&group, 1);
	ASSERT_EQ(nap_schedule(&alone, &task), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, stops, &alone), 0);
	nap_store_relaxed(&no_memory, 1);
	EXPECT_EQ(nap_pool_help(&alone, 1), 1);
	nap_store_relaxed(&no_memory, 0);
	EXPECT_EQ(answer, -ECANCELED);
	ASSERT_EQ(pthread_join(thread, NULL), 0);
	EXPECT_EQ(nap_pool_join(&alone, NULL), 0);
	end();
}

/* A drain is turned into a stop while the worker is in worker_stop. */
TEST(in_worker_stop)
{
	struct nap_task task = NAP_TASK_INIT(ends);
	pthread_t thread;

	watchdog(&lingering, 20);
	nap_group_add(&group, 1);
	ASSERT_EQ(nap_schedule(&lingering, &task), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, stops, &lingering), 0);
	EXPECT_EQ(nap_pool_join(&lingering, NULL), 0);
	EXPECT_EQ(answer, -ECANCELED);
	ASSERT_EQ(pthread_join(thread, NULL), 0);
	end();
}

TEST_HARNESS_MAIN
