/* SPDX-License-Identifier: MIT */
/*
 * Only the last worker that goes to sleep notifies a waiter for quiescence. Under each idle
 * protocol, step by step: the main thread plays all workers.
 */
#include "sync/waitlist.h"
#include "idle_steps.h"
#include "under.h"

FIXTURE_SETUP(under)
{
	self->idle = variant->idle;
	begin(_metadata, variant->idle, WORKERS);
}

TEST_F(under, who_waits_for_quiet_is_told_by_the_last_one)
{
	uint32_t event = 0;
	struct nap__waiter node = { .event = &event };

	ASSERT_TRUE(waitlist_add(&pool.waiters, &node));
	nap__idle_watch(&pool);
	for (uint32_t i = 0; i < WORKERS; i++) {
		EXPECT_EQ(event, 0);
		ASSERT_GE(settle(i), 0);
	}
	EXPECT_EQ(event, EVENT_POOL);
	EXPECT_EQ(pool.waiters, 0);
}

/* The thread waits a second time. Again the worker that goes to sleep last notifies it. */
TEST_F(under, who_waits_once_more_is_told_once_more)
{
	for (uint32_t i = 0; i < WORKERS; i++)
		ASSERT_GE(settle(i), 0);
	for (int round = 0; round < 3; round++) {
		uint32_t event = 0, woken;
		struct nap__waiter node = { .event = &event };

		schedule_as(OUTSIDE, 0, 1);
		for (woken = 0; !was_woken(woken); woken++)
			ASSERT_LT(woken, WORKERS - 1);
		ASSERT_TRUE(waitlist_add(&pool.waiters, &node));
		nap__idle_watch(&pool);
		ASSERT_EQ(wake_up(woken), NAP_SEARCH);
		ASSERT_EQ(nap__dequeue(worker_at(woken)), &tasks[0]);
		EXPECT_EQ(event, 0);
		ASSERT_GE(settle(woken), 0);
		for (uint32_t i = 0; i < WORKERS; i++)
			if (was_woken(i)) {
				ASSERT_NE(wake_up(i), NAP_EXIT);
				ASSERT_GE(settle(i), 0);
			}
		EXPECT_EQ(event, EVENT_POOL);
	}
}

TEST_HARNESS_MAIN
