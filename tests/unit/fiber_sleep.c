/* SPDX-License-Identifier: MIT */
/* Fibers that sleep, and deadlines of their waits. */
#include <errno.h>
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "os/os.h"
#include "watchdog.h"	/* first, because its pool has the name of a field in the fixture */
#include "fiber_fixture.h"
#include "harness.h"

static uint32_t early;

static intptr_t sleeps(void *arg)
{
	uint64_t ns = (uint64_t)(uintptr_t)arg, until = nap__os_now() + ns;
	int err = nap_sleep(ns);

	if (!err && nap__os_now() < until)
		nap_fetch_add_relaxed(&early, 1);
	nap_fetch_add_relaxed(&nr_ended, 1);
	return err;
}

TEST(fibers_sleep_side_by_side)
{
	struct nap_fiber *fibers[1000];
	uint64_t begin = nap__os_now();
	intptr_t result;

	for (uintptr_t i = 0; i < 1000; i++)
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], sleeps,
				    (void *)(10 * MS + i * 7919 % 20 * MS)), 0);
	for (int i = 0; i < 1000; i++) {
		ASSERT_EQ(nap_await(fibers[i], &result), 0);
		ASSERT_EQ(result, 0);
	}
	EXPECT_GE(nap__os_now() - begin, 29 * MS);
	EXPECT_EQ(early, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(threads_and_tasks_sleep_too)
{
	uint64_t begin = nap__os_now();

	EXPECT_EQ(nap_sleep(3 * MS), 0);
	EXPECT_GE(nap__os_now() - begin, 3 * MS);
	ASSERT_EQ(nap_spawn(&pool, NULL, sleeps, (void *)(uintptr_t)(5 * MS)), 0);
	/* The drain waits for the sleep. */
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_ended, 1);
}

static uint32_t has_run;

static void runs(struct nap_task *task)
{
	(void)task;
	nap_store_relaxed(&has_run, 1);
}

static struct nap_pool one = NAP_POOL_INIT(.max_workers = 1);
static struct nap_task behind = NAP_TASK_INIT(runs);

static void sleeps_until_it_has_run(struct nap_task *task)
{
	(void)task;
	nr_waiting = nap_schedule(&one, &behind) != 0;
	while (!nap_load_relaxed(&has_run))
		nr_waiting += nap_sleep(MS) != 0;
	nr_ended = 1;
}

TEST(the_worker_of_a_task_that_sleeps_runs_others)
{
	struct nap_task task = NAP_TASK_INIT(sleeps_until_it_has_run);

	watchdog(&one, 0);
	ASSERT_EQ(nap_schedule(&one, &task), 0);
	ASSERT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_EQ(nr_ended, 1);
	EXPECT_EQ(nr_waiting, 0);
}

static intptr_t waits_for_a_time(void *arg)
{
	int err = nap_group_wait_for(&never, (uint64_t)(uintptr_t)arg);

	nap_fetch_add_relaxed(&nr_ended, 1);
	return err;
}

TEST(a_wait_of_a_fiber_ends_at_its_deadline)
{
	struct nap_fiber *fiber, *other;
	uint64_t begin = nap__os_now();
	intptr_t result;

	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, &fiber, waits_for_a_time, (void *)(uintptr_t)(4 * MS)), 0);
	ASSERT_EQ(nap_spawn(&pool, &other, waits_for_a_time, (void *)(uintptr_t)(3600000ull * MS)),
		  0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, -ETIMEDOUT);
	EXPECT_GE(nap__os_now() - begin, 4 * MS);
	/* The wait ends before its deadline, and then no timer remains. */
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_await(other, &result), 0);
	EXPECT_EQ(result, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static intptr_t awaits_for_a_time(void *fiber)
{
	return nap_await_for(fiber, NULL, 3 * MS);
}

TEST(a_fiber_awaits_another_for_a_time)
{
	struct nap_fiber *fiber, *other;
	intptr_t result;

	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, &fiber, waits, NULL), 0);
	ASSERT_EQ(nap_spawn(&pool, &other, awaits_for_a_time, fiber), 0);
	ASSERT_EQ(nap_await(other, &result), 0);
	EXPECT_EQ(result, -ETIMEDOUT);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(sleepers_are_canceled_and_stopped)
{
	struct nap_fiber *fibers[32];
	intptr_t result;

	for (int i = 0; i < 32; i++)
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], sleeps,
				    (void *)(uintptr_t)(3600000ull * MS)), 0);
	usleep(5000);
	for (int i = 0; i < 16; i++) {
		ASSERT_EQ(nap_fiber_cancel(fibers[i]), 0);
		ASSERT_EQ(nap_await(fibers[i], &result), 0);
		EXPECT_EQ(result, -ECANCELED);
	}
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	/* Only fibers that had begun have run to their end. */
	EXPECT_LE(nr_ended, 32);
	EXPECT_GE(nr_ended, 16);
}

/* Cancellations and deadlines come at the same time. */
TEST(a_race_of_ends_has_one_winner)
{
	for (uint32_t i = 0; i < 300; i++) {
		struct nap_fiber *fiber;
		intptr_t result;

		ASSERT_EQ(nap_spawn(&pool, &fiber, sleeps,
				    (void *)(uintptr_t)(100000 + i % 7 * 10000)), 0);
		usleep(i % 150);
		ASSERT_EQ(nap_fiber_cancel(fiber), 0);
		ASSERT_EQ(nap_await(fiber, &result), 0);
		EXPECT_TRUE(result == 0 || result == -ECANCELED);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a loop's caller is a fiber, and goes on on another worker after a leaf has waited */

enum { TURNS = 64 };

static int sleeps_at_first(size_t begin, size_t end, void *runs)
{
	uint32_t worker = nap_worker_index(nap_worker_self());

	for (; begin < end; begin++) {
		for (int i = 0; !begin && i < 100 && nap_worker_index(nap_worker_self()) == worker;
		     i++)
			nap_sleep(100000);
		usleep(50);
		nap_fetch_add_relaxed(&((uint32_t *)runs)[begin], 1);
	}
	return 0;
}

static intptr_t loops(void *arg)
{
	uint32_t runs[TURNS] = { 0 };
	intptr_t wrong = 0;

	(void)arg;
	wrong += nap_for(&pool, 0, TURNS, sleeps_at_first, runs) != 0;
	for (int i = 0; i < TURNS; i++)
		wrong += runs[i] != 1;
	return wrong;
}

TEST(a_loop_may_go_on_on_another_worker)
{
	struct nap_fiber *fibers[6];

	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 6; i++)
			ASSERT_EQ(nap_spawn(&pool, &fibers[i], loops, NULL), 0);
		for (int i = 0; i < 6; i++) {
			intptr_t wrong = 1;

			EXPECT_EQ(nap_await(fibers[i], &wrong), 0);
			EXPECT_EQ(wrong, 0);
		}
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
