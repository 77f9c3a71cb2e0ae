/* SPDX-License-Identifier: MIT */
/*
 * Waves (src/idle/wave.h), and workers that search on (nap__search_on()). Step by step: one thread
 * plays all workers of a pool that takes the machine for one of many CPUs.
 */
#include "idle/wave.h"

#include "idle/sync.h"
#include "sync/latch.h"
#include "idle_steps.h"

enum { PARKED = 7 };	/* workers 1 to 7; worker 0 runs a task */

static void begin_wide(struct __test_metadata *_metadata)
{
	struct nap_config config = { .max_workers = 2 + PARKED, .idle = NAP_IDLE_SYNC };

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, 1 + PARKED), 0);
	for (uint32_t i = 1; i <= PARKED; i++)
		ASSERT_NE(settle(i), -1);
	pool.cpus = WIDE_CPUS;
	pool.limit = 1 + PARKED;
	ASSERT_EQ(nap__idle_count(&pool), PARKED);
}

static uint32_t woken_after(size_t tasks_found)
{
	wave(&pool, tasks_found);
	return how_many_woken();
}

TEST(a_worker_is_called_for_eight_tasks_and_four_at_once_at_most)
{
	begin_wide(_metadata);
	pool.cpus = WIDE_CPUS - 1;
	EXPECT_EQ(woken_after(1000), 0);
	pool.cpus = WIDE_CPUS;
	EXPECT_EQ(woken_after(0), 0);
	EXPECT_EQ(woken_after(NAP_WAVE_TASKS - 1), 0);
	EXPECT_EQ(woken_after(NAP_WAVE_TASKS), 1);
	EXPECT_EQ(woken_after(1000), 1 + WAVE_MOST);
	EXPECT_EQ(woken_after(3 * NAP_WAVE_TASKS - 1), 1 + WAVE_MOST + 2);
	EXPECT_EQ(woken_after(1000), PARKED);
}

TEST(with_classes_no_worker_is_called)
{
	static struct nap_classes classes = { .count = 1 };

	begin_wide(_metadata);
	pool.config.classes = &classes;
	EXPECT_EQ(woken_after(1000), 0);
	pool.config.classes = NULL;
}

/* No thread relies on the called worker, so in the word it changes only its own count. */
TEST(a_called_worker_searches_once_and_takes_no_notification)
{
	struct nap_worker *called;
	uint32_t before;

	begin_wide(_metadata);
	pool.sync |= SYNC_NOTIFIED | SYNC_WAKING;
	before = pool.sync;
	ASSERT_EQ(woken_after(NAP_WAVE_TASKS), 1);
	EXPECT_EQ(pool.sync, before);
	called = worker_at(PARKED);
	ASSERT_TRUE(was_woken(PARKED));
	EXPECT_EQ(wake_up(PARKED), NAP_SEARCH);
	EXPECT_EQ(pool.sync, before - SYNC_IDLE_ONE);
	EXPECT_FALSE(called->relied_on);
	/* Because the worker has found nothing, it takes the notification now. */
	EXPECT_EQ(nap__idle_prepare(called), NAP_SEARCH);
	EXPECT_FALSE(pool.sync & SYNC_NOTIFIED);
	EXPECT_TRUE(called->relied_on);
	EXPECT_EQ(called->stats.woken_idle, 0);
	EXPECT_EQ(nap__idle_prepare(called), NAP_PARK);
	EXPECT_EQ(called->stats.woken_idle, 1);
	EXPECT_EQ(nap__idle_count(&pool), PARKED);
}

TEST(a_called_worker_takes_a_signal_that_found_no_worker)
{
	begin_wide(_metadata);
	for (uint32_t i = 2; i <= PARKED; i++)
		nap__idle_abort_park(worker_at(i));
	ASSERT_EQ(woken_after(NAP_WAVE_TASKS), 1);
	schedule_as(OUTSIDE, 0, 1);
	EXPECT_EQ(sync_state(pool.sync), SYNC_SIGNALED);
	EXPECT_EQ(wake_up(1), NAP_SEARCH);
	EXPECT_TRUE(sync_of(worker_at(1))->waking);
	EXPECT_EQ(nap__idle_count(&pool), 0);
}

/* The start that fails undoes the signal for the worker that was woken. */
TEST(a_woken_worker_takes_a_notification_whose_signal_was_undone)
{
	begin_wide(_metadata);
	pool.limit = 2 + PARKED;
	schedule_as(0, 0, 2);
	ASSERT_TRUE(was_woken(PARKED));
	starts_fail = true;
	EXPECT_EQ(nap__idle_spawn(&pool, 2 + PARKED), -EAGAIN);
	pool.limit = 1 + PARKED;
	EXPECT_EQ(pool.sync & (SYNC_STATE | SYNC_NOTIFIED), SYNC_PENDING | SYNC_NOTIFIED);
	EXPECT_EQ(wake_up(PARKED), NAP_SEARCH);
	EXPECT_NE(nap__dequeue(worker_at(PARKED)), NULL);
	EXPECT_TRUE(was_woken(PARKED - 1));
}

/* The first worker takes half of worker 0's ring, and calls others for what it does not run. */
TEST(a_woken_worker_that_finds_many_tasks_calls_others)
{
	const uint32_t first = PARKED, left = NAP_RING_SIZE < 40 ? NAP_RING_SIZE / 2 : 19;

	begin_wide(_metadata);
	schedule_as(0, 0, 40);
	ASSERT_TRUE(was_woken(first));
	ASSERT_EQ(how_many_woken(), 1);
	ASSERT_EQ(wake_up(first), NAP_SEARCH);
	ASSERT_NE(nap__dequeue(worker_at(first)), NULL);
	ASSERT_EQ(ring_count(&worker_at(first)->ring), left);
	/* the signal wakes the next worker, and each eight tasks one more */
	EXPECT_EQ(how_many_woken(), 1 + left / NAP_WAVE_TASKS);
}

/* ---- searching on */

static uint64_t searches_on(uint32_t i)
{
	uint64_t before = worker_at(i)->stats.searched;

	if (nap__search_on(worker_at(i)))
		abort();
	return worker_at(i)->stats.searched - before;
}

TEST(a_thief_searches_on_a_quarter_as_often_as_there_are_cpus)
{
	begin_wide(_metadata);
	EXPECT_EQ(searches_on(0), 0);
	for (uint32_t cpus = 1; cpus <= 128; cpus++) {
		worker_at(0)->stole = STOLE_TASKS;
		pool.cpus = cpus;
		EXPECT_EQ(searches_on(0), cpus < WIDE_CPUS ? 0 : cpus < 64 ? cpus / 4 : 16);
		/* The worker has given up, until it steals again. */
		EXPECT_EQ(searches_on(0), 0);
	}
	worker_at(0)->stole = STOLE_JOB;
	pool.config.spin_us = NAP_NO_SPIN;
	EXPECT_EQ(searches_on(0), 0);
	pool.config.spin_us = 0;
}

TEST(injected_tasks_end_a_search)
{
	begin_wide(_metadata);
	worker_at(0)->stole = STOLE_TASKS;
	inject_silently(0);
	EXPECT_EQ(searches_on(0), 0);
}

TEST(a_joiner_searches_on_until_its_job_has_ended)
{
	struct nap_frame frame = { .latch = LATCH_UNSET };

	begin_wide(_metadata);
	worker_at(0)->joins = &frame;
	EXPECT_EQ(searches_on(0), WIDE_CPUS / 4);
	EXPECT_EQ(searches_on(0), WIDE_CPUS / 4);
	frame.latch = LATCH_SET;
	EXPECT_EQ(searches_on(0), 0);
	worker_at(0)->joins = NULL;
}

TEST(what_a_search_has_stolen_is_noted)
{
	begin_wide(_metadata);
	schedule_as(1, 0, 1);
	ASSERT_EQ(nap__dequeue(worker_at(0)), &tasks[0]);
	EXPECT_EQ(worker_at(0)->stole, STOLE_TASKS);
	inject_silently(1);
	ASSERT_EQ(nap__dequeue(worker_at(0)), &tasks[1]);
	EXPECT_EQ(worker_at(0)->stole, STOLE_NOTHING);
}

TEST_HARNESS_MAIN
