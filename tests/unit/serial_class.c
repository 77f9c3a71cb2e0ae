/* SPDX-License-Identifier: MIT */
/* Serial queues in a class: where they wait, how often they run, and the class's limit. */
#include <errno.h>

#include "pool_fixture.h"
#include "watchdog.h"

#define TASKS	(4 * NAP_SERIAL_QUANTUM)
#define QUEUES	3

static struct nap_pool pool;
static struct nap_classes classes;
static struct nap_serial serials[QUEUES];
static struct nap_task tasks[QUEUES][TASKS];
static uint32_t nr_inside, most_inside, nr_all;	/* atomic */

static void begin(uint32_t workers, uint32_t limit)
{
	watchdog(&pool, 0);
	classes = (struct nap_classes){ .of = { { .weight = 8 }, { .weight = 4 },
						{ .weight = 2, .limit = limit } }, .count = 3 };
	if (nap_pool_init(&pool,
			  &(struct nap_config){ .max_workers = workers, .classes = &classes }))
		abort();
	for (int i = 0; i < QUEUES; i++)
		if (nap_serial_init(&serials[i], &pool) ||
		    nap_serial_set_class(&serials[i], NAP_CLASS_BATCH))
			abort();
}

static void inside(struct nap_task *task)
{
	uint32_t n = nap_fetch_add_relaxed(&nr_inside, 1) + 1;

	(void)task;
	if (n > nap_load_relaxed(&most_inside))
		nap_store_relaxed(&most_inside, n);
	sched_yield();
	nap_fetch_sub_relaxed(&nr_inside, 1);
	nap_fetch_add_release(&nr_all, 1);
}

static void fill(int queue)
{
	for (uint32_t i = 0; i < TASKS; i++) {
		nap_task_init(&tasks[queue][i], inside);
		if (nap_serial_schedule(&serials[queue], &tasks[queue][i]))
			abort();
	}
}

TEST(what_is_no_class)
{
	struct nap_serial serial = { .pool = NULL };
	static struct nap_pool plain;

	begin(1, 0);
	EXPECT_EQ(nap_serial_set_class(NULL, 0), -EINVAL);
	EXPECT_EQ(nap_serial_set_class(&serial, 0), -EINVAL);
	EXPECT_EQ(nap_serial_set_class(&serials[0], 3), -EINVAL);
	ASSERT_EQ(nap_pool_init(&plain, NULL), 0);
	ASSERT_EQ(nap_serial_init(&serial, &plain), 0);
	EXPECT_EQ(nap_serial_set_class(&serial, 0), -EINVAL);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static uint64_t in_classes(void)
{
	struct nap_pool_stats stats;

	if (nap_pool_get_stats(&pool, &stats) || stats.queued_injected || stats.queued_rings)
		abort();
	return stats.queued_classes;
}

static uint32_t run_before;

static void look(struct nap_task *task)
{
	(void)task;
	run_before = nap_load_relaxed(&nr_all);
}

/*
 * A queue waits in its class before each quantum. A task that was in the class before the queue
 * waits for one quantum at most.
 */
TEST(a_turn_is_a_task_of_the_class)
{
	struct blocker blocker = BLOCKER_INIT, between = BLOCKER_INIT;
	struct nap_task other = NAP_TASK_INIT(look);

	begin(1, 0);
	EXPECT_EQ(nap_class_schedule(&pool, NAP_CLASS_NORMAL, &blocker.task), 0);
	flag_wait(&blocker.running);
	fill(0);
	EXPECT_EQ(in_classes(), 1u);
	EXPECT_EQ(nap_class_schedule(&pool, NAP_CLASS_BATCH, &between.task), 0);
	flag_set(&blocker.let_go);
	flag_wait(&between.running);
	EXPECT_EQ(nr_all, NAP_SERIAL_QUANTUM);
	EXPECT_EQ(in_classes(), 1u);
	EXPECT_EQ(nap_class_schedule(&pool, NAP_CLASS_BATCH, &other), 0);
	flag_set(&between.let_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(run_before, 2 * NAP_SERIAL_QUANTUM);
	EXPECT_EQ(nr_all, TASKS);
}

/* Three queues, four workers, and one permit. */
TEST(the_limit_of_the_class_holds)
{
	begin(4, 1);
	for (int i = 0; i < QUEUES; i++)
		fill(i);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_all, QUEUES * TASKS);
	EXPECT_EQ(most_inside, 1u);
}

TEST(a_stop_leaves_it_as_others)
{
	struct nap_batch left = NAP_BATCH_INIT, in_queue = NAP_BATCH_INIT;
	struct blocker blocker = BLOCKER_INIT;

	begin(1, 1);
	EXPECT_EQ(nap_schedule(&pool, &blocker.task), 0);
	flag_wait(&blocker.running);
	fill(0);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_TRUE(left.count == 1 && nap_serial_of(left.head) == &serials[0]);
	EXPECT_EQ(nap_serial_close(&serials[0], &in_queue), 0);
	EXPECT_EQ(in_queue.count, TASKS);
}

TEST_HARNESS_MAIN
