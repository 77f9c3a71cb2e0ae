/* SPDX-License-Identifier: MIT */
/*
 * nap/new.h: pools in memory of their own; when a pool may be freed; which parts of a configuration
 * are copied.
 */
#include <errno.h>

#include "pool_fixture.h"
#include "watchdog.h"

TEST(what_is_refused)
{
	struct nap_pool *pool = NULL;
	static struct nap_pool own;

	EXPECT_EQ(nap_pool_new(NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_pool_new(&pool, &(struct nap_config){ .max_workers = NAP_MAX_WORKERS + 1 }),
		  -EINVAL);
	EXPECT_TRUE(!pool);
	EXPECT_EQ(nap_pool_free(NULL), -EINVAL);
	EXPECT_EQ(nap_pool_free((struct nap_pool *)((char *)&own +
						    ((uintptr_t)&own % 4096 ? 0 : 64))),
		  -EINVAL);
}

TEST(one_that_was_never_used)
{
	struct nap_pool *pool;

	ASSERT_EQ(nap_pool_new(&pool, NULL), 0);
	EXPECT_EQ((uintptr_t)pool % 64, 0u);
	EXPECT_EQ(pool->config.max_workers, 0u);
	EXPECT_EQ(nap_pool_free(pool), 0);
}

TEST(it_is_freed_when_it_was_joined)
{
	struct nap_batch batch = new_batch(1000, count_and_free), left;
	struct blocker blocker = BLOCKER_INIT;
	struct nap_pool *pool;

	ASSERT_EQ(nap_pool_new(&pool, &(struct nap_config){ .max_workers = 2 }), 0);
	watchdog(pool, 0);
	EXPECT_EQ(nap_schedule(pool, &blocker.task), 0);
	EXPECT_EQ(nap_schedule_batch(pool, &batch), 0);
	flag_wait(&blocker.running);
	EXPECT_EQ(nap_pool_free(pool), -EBUSY);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_quiesce(pool), 0);
	EXPECT_EQ(nap_pool_free(pool), -EBUSY);
	EXPECT_EQ(nap_pool_shutdown(pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_pool_free(pool), -EBUSY);
	EXPECT_EQ(nap_pool_join(pool, &left), 0);
	EXPECT_EQ(nr_run, 1001u);
	watchdog_forget(pool);
	EXPECT_EQ(nap_pool_free(pool), 0);
}

TEST(what_a_stop_has_left_is_taken_first)
{
	struct blocker blocker = BLOCKER_INIT;
	struct nap_task task = NAP_TASK_INIT(count_run);
	struct nap_batch left;
	struct nap_pool *pool;

	ASSERT_EQ(nap_pool_new(&pool, &(struct nap_config){ .max_workers = 1 }), 0);
	EXPECT_EQ(nap_schedule(pool, &blocker.task), 0);
	flag_wait(&blocker.running);
	EXPECT_EQ(nap_schedule(pool, &task), 0);
	EXPECT_EQ(nap_pool_shutdown(pool, NAP_STOP), 0);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(pool, NULL), 0);
	EXPECT_EQ(nap_pool_free(pool), -EBUSY);
	EXPECT_EQ(nap_pool_join(pool, &left), -EALREADY);
	EXPECT_EQ(left.count, 1u);
	EXPECT_EQ(nap_pool_free(pool), 0);
}

/* A join that takes no tasks is enough after a drain, which leaves at most armed timers. */
TEST(an_armed_timer_does_not_keep_a_drained_pool)
{
	struct nap_batch left;
	struct nap_timer timer;
	struct nap_pool *pool;

	nap_timer_init(&timer, count_run);
	for (int takes = 0; takes < 2; takes++) {
		ASSERT_EQ(nap_pool_new(&pool, NULL), 0);
		ASSERT_EQ(nap_schedule_after(pool, &timer, 3600000000000), 0);
		ASSERT_EQ(nap_pool_join(pool, takes ? &left : NULL), 0);
		EXPECT_EQ(nap_pool_free(pool), 0);
	}
	EXPECT_EQ(left.count, 1u);
	EXPECT_TRUE(left.head == &timer.task);
	EXPECT_EQ(nr_run, 0u);
}

/* Two pools have the same configuration, which is overwritten before the pools run. */
TEST(classes_are_copied)
{
	struct nap_classes classes = { .of = { { .weight = 3 }, { .limit = 1 } }, .count = 2 };
	struct blocker blocker = BLOCKER_INIT;
	struct nap_task tasks[2] = { NAP_TASK_INIT(count_run), NAP_TASK_INIT(count_run) };
	struct nap_config config = { .max_workers = 2, .classes = &classes };
	struct nap_pool *pools[2];

	for (int i = 0; i < 2; i++)
		ASSERT_EQ(nap_pool_new(&pools[i], &config), 0);
	memset(&classes, 0xff, sizeof(classes));
	EXPECT_EQ(nap_class_schedule(pools[0], 2, &tasks[0]), -EINVAL);
	/*
	 * Each pool has a copy of the class's limit: the class is full in pools[0], but still runs
	 * its task in pools[1].
	 */
	EXPECT_EQ(nap_class_schedule(pools[0], 1, &blocker.task), 0);
	flag_wait(&blocker.running);
	EXPECT_EQ(nap_class_schedule(pools[0], 1, &tasks[0]), 0);
	EXPECT_EQ(nap_class_schedule(pools[1], 1, &tasks[1]), 0);
	EXPECT_EQ(nap_pool_join(pools[1], NULL), 0);
	EXPECT_EQ(nr_run, 1u);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(pools[0], NULL), 0);
	EXPECT_EQ(nr_run, 3u);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(nap_pool_free(pools[i]), 0);
}

TEST_HARNESS_MAIN
