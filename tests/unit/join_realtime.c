/* SPDX-License-Identifier: MIT */
/*
 * A join with a timeout, on a libc that can wait for a thread only by CLOCK_REALTIME. Linked with a
 * src/thread/hosted/workers.c that uses this clock.
 */
#include <errno.h>
#include <pthread.h>

#include "call_fixture.h"
#include "wrap.h"

#define SOON 20000000u	/* 20 ms */

static unsigned long nr_waits;

WRAP(int, pthread_timedjoin_np, (pthread_t thread, void **value, const struct timespec *until))
{
	nr_waits++;
	return __real_pthread_timedjoin_np(thread, value, until);
}

/* By the other clock a wait may end a little early; then it is repeated. */
enum { FEW = 16 };

TEST_F(under, a_joiner_sleeps_until_its_time_is_over)
{
	struct nap_task task = NAP_TASK_INIT(hold_task);
	uint64_t before;

	begin_pool(&pool, self->idle, 1);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	await_at_door(1);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	before = nap__os_now();
	EXPECT_EQ(nap_pool_join_for(&pool, NULL, SOON), -ETIMEDOUT);
	EXPECT_GE(nap__os_now() - before, SOON);
	EXPECT_GE(nr_waits, 1);
	EXPECT_LE(nr_waits, FEW);
	nr_waits = 0;
	EXPECT_EQ(nap_pool_join_for(&pool, NULL, 0), -ETIMEDOUT);
	EXPECT_LE(nr_waits, 1);
	open_door();
	EXPECT_EQ(nap_pool_join_for(&pool, NULL, 3600 * (uint64_t)1000000000), 0);
	EXPECT_EQ(count_workers(), 0);
}

TEST_HARNESS_MAIN
