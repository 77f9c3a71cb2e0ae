/* SPDX-License-Identifier: MIT */
/*
 * The parts that tests of very many workers on few processors share. A pool has 64 or 1,000
 * workers, and ends in both modes; in a slow build, or if the kernel has no room for them (as with
 * 32 MiB of memory), there are fewer workers. Functions check that all workers exist, or have gone.
 */
#ifndef NAP_TESTS_FAULT_CROWD_H
#define NAP_TESTS_FAULT_CROWD_H

#include <errno.h>
#include <pthread.h>

#include "os/futex.h"
#include "fault/footprint.h"
#include "fault/load.h"
#include "fault/report.h"
#include "watchdog.h"

/*
 * The stacks are small, but large enough for tasks nested in waits, and for what a sanitizer adds
 * to each frame.
 */
#if defined(NAP_TEST_TSAN) || defined(NAP_TEST_LSAN)
#define STACK LOAD_STACK
#else
#define STACK ((size_t)64 << 10)
#endif

static struct nap_pool pool;
static unsigned long started, stopped, scheduled;

static void count_start(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	nap_fetch_add_relaxed(&started, 1);
}

static void count_stop(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	nap_fetch_add_relaxed(&stopped, 1);
}

static void put_task(struct nap_task *task)
{
	nap_fetch_add_relaxed(&scheduled, 1);
	if (nap_schedule(&pool, task))
		abort();
}

/*
 * How many other threads there may be: those of the test, and those of the last pool that are still
 * ending.
 */
#define OTHERS 8

/* Returns how many of @workers the kernel lets start, with room left for OTHERS. */
static uint32_t room_for(uint32_t workers)
{
	struct nap_config config = { .max_workers = workers, .stack_size = STACK };
	struct nap_pool_stats stats;

	if (nap_pool_init(&pool, &config))
		abort();
	nap_pool_prewarm(&pool, workers);
	nap_pool_get_stats(&pool, &stats);
	if (nap_pool_shutdown(&pool, NAP_STOP) || nap_pool_join(&pool, NULL))
		abort();
	return stats.spawned == workers ? workers :
	       stats.spawned < OTHERS ? 0 : stats.spawned - OTHERS;
}

/* These tests need at least this number of workers. */
#define CROWD 16

FIXTURE(crowd) { uint32_t workers; };
FIXTURE_VARIANT(crowd) { uint32_t workers; enum nap_shutdown mode; };
FIXTURE_VARIANT_ADD(crowd, of_64_drained) { .workers = 64, .mode = NAP_DRAIN };
FIXTURE_VARIANT_ADD(crowd, of_64_stopped) { .workers = 64, .mode = NAP_STOP };
FIXTURE_VARIANT_ADD(crowd, of_1000_drained) { .workers = 1000, .mode = NAP_DRAIN };
FIXTURE_VARIANT_ADD(crowd, of_1000_stopped) { .workers = 1000, .mode = NAP_STOP };
FIXTURE_SETUP(crowd)
{
	self->workers = variant->workers;
	if (self->workers > 64)
		self->workers = 64 + (uint32_t)nap_test_count(self->workers - 64);
	self->workers = room_for(self->workers);
	if (self->workers < CROWD)
		SKIP(return, "the kernel has room for fewer threads than a crowd has");
	footprint_prepare();
	watchdog(&pool, 0);
}
FIXTURE_TEARDOWN(crowd)
{
}

static void begin_pool(struct __test_metadata *_metadata, uint32_t workers)
{
	struct nap_config config = {
		.max_workers = workers, .stack_size = STACK,
		.worker_start = count_start, .worker_stop = count_stop,
	};

	started = stopped = 0;
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
}

/* Checks that every worker exists and is idle. */
static void expect_all_idle(struct __test_metadata *_metadata, uint32_t workers)
{
	struct nap_pool_stats stats;

	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	ASSERT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(stats.spawned, workers);
	EXPECT_EQ(stats.idle, workers);
	EXPECT_EQ(await_workers((int)workers), (int)workers);
}

static void expect_all_gone(struct __test_metadata *_metadata)
{
	EXPECT_EQ(count_workers(), 0);
	EXPECT_EQ(started, stopped);
}

/* The second one of two threads that join at the same time. */
static void *join_too(void *result)
{
	*(int *)result = nap_pool_join(&pool, NULL);
	return NULL;
}

/* Shuts the pool down, calls @let_go, and joins from two threads. */
static void end_pool(struct __test_metadata *_metadata, enum nap_shutdown mode,
		     void (*let_go)(void))
{
	int err, other = -1;
	pthread_t thread;

	ASSERT_EQ(nap_pool_shutdown(&pool, mode), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, join_too, &other), 0);
	if (let_go)
		let_go();
	err = nap_pool_join(&pool, NULL);
	pthread_join(thread, NULL);
	EXPECT_TRUE((err == 0 && other == -EALREADY) || (err == -EALREADY && other == 0));
}

#endif /* NAP_TESTS_FAULT_CROWD_H */
