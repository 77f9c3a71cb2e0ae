/* SPDX-License-Identifier: MIT */
/*
 * More fibers at once than ThreadSanitizer can have threads. Under ThreadSanitizer a spawn is
 * refused, and the process goes on. When fibers have ended, as many can be spawned again.
 */
#include <errno.h>

#include "fiber_fixture.h"
#include "harness.h"

#define MANY	8200u

#ifdef NAP_TEST_TSAN
#define EXPECTED 7000u
#else
#define EXPECTED MANY
#endif

static struct nap_group hold;	/* keeps the only worker, so that no fiber begins */
static int refusal;

static void holds_up(struct nap_task *task)
{
	(void)task;
	nap_group_wait(&hold);
}

static intptr_t ends(void *unused)
{
	(void)unused;
	nap_fetch_add_relaxed(&nr_ended, 1);
	return 0;
}

/* Spawns up to MANY fibers; returns how many. */
static uint32_t spawn_all(void)
{
	static struct nap_task task;
	uint32_t n = 0;

	nap_task_init(&task, holds_up);
	nap_group_init(&hold, NULL);
	nap_group_add(&hold, 1);
	nap_schedule(&pool, &task);
	nap_store_relaxed(&nr_ended, 0);
	for (refusal = 0; n < MANY && !refusal; n += !refusal)
		refusal = nap_spawn(&pool, NULL, ends, NULL);
	return n;
}

static void pool_begin(void)
{
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }))
		abort();
}

TEST(as_many_are_there_again_when_they_have_ended)
{
	pool_begin();
	for (int round = 0; round < 2; round++) {
		EXPECT_EQ(spawn_all(), EXPECTED);
		EXPECT_EQ(refusal, EXPECTED < MANY ? -EAGAIN : 0);
		nap_group_done(&hold);
		nap_pool_quiesce(&pool);
		EXPECT_EQ(nap_load_relaxed(&nr_ended), EXPECTED);
	}
	nap_pool_join(&pool, NULL);
}

TEST(as_many_are_there_again_where_none_has_begun)
{
	for (int round = 0; round < 2; round++) {
		pool_begin();
		EXPECT_EQ(spawn_all(), EXPECTED);
		nap_pool_shutdown(&pool, NAP_STOP);
		nap_group_done(&hold);
		nap_pool_join(&pool, NULL);
	}
}

TEST(one_that_was_refused_counts_for_none)
{
	pool_begin();
	ASSERT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ .most = 1 }), 0);
	for (uint32_t i = 0; i < MANY; i++) {
		struct nap_fiber *fiber, *other;

		ASSERT_EQ(nap_spawn(&pool, &fiber, number, NULL), 0);
		ASSERT_EQ(nap_spawn(&pool, &other, number, NULL), -EAGAIN);
		ASSERT_EQ(nap_await(fiber, NULL), 0);
	}
	nap_pool_join(&pool, NULL);
	pool_begin();
	EXPECT_EQ(spawn_all(), EXPECTED);
	nap_group_done(&hold);
	nap_pool_join(&pool, NULL);
}

TEST_HARNESS_MAIN
