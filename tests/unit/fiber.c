/* SPDX-License-Identifier: MIT */
/* nap/fiber.h: spawning, awaiting, detaching, canceling; drains and stops. */
#include <pthread.h>
#include <unistd.h>

#include <nap/fiber.h>
#include <nap/nap.h>

#include "arch/atomic.h"
#include "harness.h"
#include "watchdog.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);

static intptr_t twice(void *arg)
{
	return 2 * (intptr_t)arg;
}

TEST(a_fiber_returns_its_result)
{
	struct nap_fiber *fiber;
	intptr_t result = 0;

	ASSERT_EQ(nap_spawn(&pool, &fiber, twice, (void *)21), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 42);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a tree, in which every level waits */

static intptr_t fib(void *arg)
{
	intptr_t n = (intptr_t)arg, a = 0, b = 0;
	struct nap_fiber *fiber;

	if (n < 2)
		return n;
	if (nap_spawn(&pool, &fiber, fib, (void *)(n - 1)))
		return -1000000;
	b = fib((void *)(n - 2));
	if (nap_await(fiber, &a))
		return -1000000;
	return a + b;
}

TEST(fibers_wait_for_fibers)
{
	struct nap_fiber *fiber;
	struct nap_fiber_stats stats;
	intptr_t result = 0;

	ASSERT_EQ(nap_spawn(&pool, &fiber, fib, (void *)15), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 610);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	ASSERT_EQ(nap_fiber_get_stats(&pool, &stats), 0);
	EXPECT_EQ(stats.live, 0);
	EXPECT_EQ(stats.spawned, 987);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- cancellation: waiting for a fiber that never ends by itself */

static struct nap_group gate_group;

static intptr_t waits_for_group(void *arg)
{
	(void)arg;
	return nap_group_wait(&gate_group);
}

TEST(a_group_is_waited_for_without_a_thread)
{
	struct nap_fiber *fibers[64];
	intptr_t result;

	nap_group_init(&gate_group, &pool);
	ASSERT_EQ(nap_group_add(&gate_group, 1), 0);
	for (int i = 0; i < 64; i++)
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], waits_for_group, NULL), 0);
	/* All fibers wait, and the two workers are free for other fibers. */
	struct nap_fiber *fiber;
	ASSERT_EQ(nap_spawn(&pool, &fiber, twice, (void *)1), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 2);
	ASSERT_EQ(nap_await_for(fibers[0], &result, 1000000), -ETIMEDOUT);
	ASSERT_EQ(nap_fiber_cancel(fibers[1]), 0);
	ASSERT_EQ(nap_await(fibers[1], &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	ASSERT_EQ(nap_group_done(&gate_group), 0);
	for (int i = 0; i < 64; i++) {
		if (i == 1)
			continue;
		ASSERT_EQ(nap_await(fibers[i], &result), 0);
		EXPECT_EQ(result, 0);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a stop */

static uint32_t ended;

static intptr_t waits_and_ends(void *arg)
{
	intptr_t err = waits_for_group(arg);

	nap_fetch_add_relaxed(&ended, 1);
	return err;
}

TEST(a_stop_ends_what_waits)
{
	struct nap_batch left;

	nap_group_init(&gate_group, NULL);
	ASSERT_EQ(nap_group_add(&gate_group, 1), 0);
	for (int i = 0; i < 10; i++)
		ASSERT_EQ(nap_spawn(&pool, NULL, waits_and_ends, NULL), 0);
	struct nap_fiber *fiber;
	ASSERT_EQ(nap_spawn(&pool, &fiber, twice, (void *)1), 0);
	ASSERT_EQ(nap_await(fiber, NULL), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(left.count, 0);
	/* Every fiber that had begun has run to its end. */
	EXPECT_LE(1, nap_load_relaxed(&ended));
}

TEST_HARNESS_MAIN
