/* SPDX-License-Identifier: MIT */
/*
 * src/kit/capacity.c: the count of replaced workers, and the limit that is raised by it, step by
 * step. The main thread plays all workers.
 */
#include "worker/capacity.h"
#include "idle_steps.h"

enum { BASE = 2 };

/* One of the workers may be replaced. All of them are parked. */
static void begin_replacing(struct __test_metadata *_metadata)
{
	struct nap_config config = { .max_workers = BASE, .most_blocked = 1,
				     .idle = NAP_IDLE_SYNC, .yields = NAP_NO_YIELDS };

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, BASE), 0);
	for (uint32_t i = 0; i < BASE; i++)
		ASSERT_GE(settle(i), 0);
}

static void expect_counted(struct __test_metadata *_metadata, uint32_t blocked,
			   enum nap__replaced first, enum nap__replaced second)
{
	EXPECT_EQ(pool.blocked, blocked);
	EXPECT_EQ(pool.limit, BASE + blocked);
	EXPECT_EQ(worker_at(0)->replaced, (uint32_t)first);
	EXPECT_EQ(worker_at(1)->replaced, (uint32_t)second);
}

TEST(a_worker_is_replaced_once_and_not_more_than_the_config_says)
{
	begin_replacing(_metadata);
	nap__replace(worker_at(0), REPLACED_IN_SECTION);
	expect_counted(_metadata, 1, REPLACED_IN_SECTION, REPLACED_NOT);
	nap__replace(worker_at(0), REPLACED_IN_SECTION);
	nap__replace(worker_at(0), REPLACED_AS_STUCK);
	nap__replace(worker_at(1), REPLACED_IN_SECTION);
	expect_counted(_metadata, 1, REPLACED_IN_SECTION, REPLACED_NOT);
	EXPECT_FALSE(pool.lowered);
	nap__replace_no_more(worker_at(1), REPLACED_IN_SECTION);
	nap__replace_no_more(worker_at(0), REPLACED_AS_STUCK);
	expect_counted(_metadata, 1, REPLACED_IN_SECTION, REPLACED_NOT);
	nap__replace_no_more(worker_at(0), REPLACED_IN_SECTION);
	expect_counted(_metadata, 0, REPLACED_NOT, REPLACED_NOT);
	EXPECT_TRUE(pool.lowered);
	nap__replace(worker_at(1), REPLACED_IN_SECTION);
	expect_counted(_metadata, 1, REPLACED_NOT, REPLACED_IN_SECTION);
}

/* The section takes the replacement over, so only its end ends the replacement. */
TEST(a_section_of_a_stuck_worker)
{
	begin_replacing(_metadata);
	nap__replace(worker_at(0), REPLACED_AS_STUCK);
	expect_counted(_metadata, 1, REPLACED_AS_STUCK, REPLACED_NOT);
	nap__replace(worker_at(0), REPLACED_IN_SECTION);
	expect_counted(_metadata, 1, REPLACED_IN_SECTION, REPLACED_NOT);
	nap__replace_no_more(worker_at(0), REPLACED_AS_STUCK);
	expect_counted(_metadata, 1, REPLACED_IN_SECTION, REPLACED_NOT);
	nap__replace_no_more(worker_at(0), REPLACED_IN_SECTION);
	expect_counted(_metadata, 0, REPLACED_NOT, REPLACED_NOT);
}

/* If tasks are queued, a worker is woken when the limit rises, and only then. */
TEST(a_higher_limit_is_for_queued_tasks)
{
	begin_replacing(_metadata);
	nap__replace(worker_at(0), REPLACED_IN_SECTION);
	EXPECT_EQ(how_many_woken(), 0u);
	inject_silently(0);
	nap__limit_changed(&pool);
	nap__replace_no_more(worker_at(0), REPLACED_IN_SECTION);
	nap__replace_no_more(worker_at(0), REPLACED_IN_SECTION);
	EXPECT_EQ(how_many_woken(), 0u);
	nap__replace(worker_at(0), REPLACED_IN_SECTION);
	EXPECT_EQ(how_many_woken(), 1u);
}

TEST_HARNESS_MAIN
