/* SPDX-License-Identifier: MIT */
/* nap/after.h: a work runs when every work that it waits for is done, and not before. */
#include <errno.h>

#include <nap/end.h>

#include "os/os.h"
#include "pool_fixture.h"
#include "watchdog.h"

#define BEFORE	50

static struct nap_pool pool;
static struct nap_after after;
static uint32_t nr_done, seen, nr_last, nr_ended;
static int result;

static struct before {
	struct nap_work work;
	uint32_t wrote;		/* not atomic: one work writes it, and a later work reads it */
} before[BEFORE];

static int look(struct nap_work *work)
{
	(void)work;
	for (int i = 0; i < BEFORE; i++)
		seen += before[i].wrote;
	return 3;
}

static void ended(struct nap_work *work, int told)
{
	(void)work;
	result = told;
	nr_ended++;
}

static struct nap_work behind = NAP_WORK_INIT(look, ended, NULL);

static int write_mine(struct nap_work *work)
{
	nap_container_of(work, struct before, work)->wrote = 1;
	nap_fetch_add_relaxed(&nr_done, 1);
	nap_fetch_add_relaxed(&nr_last, (uint32_t)nap_after_done(&after));
	return 0;
}

static void begin(void)
{
	watchdog(&pool, 0);
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 3 }))
		abort();
}

TEST(bad_arguments_change_nothing)
{
	struct nap_work empty = NAP_WORK_INIT(NULL, NULL, NULL);

	EXPECT_EQ(nap_work_after(NULL, &pool, &behind, 1), -EINVAL);
	EXPECT_EQ(nap_work_after(&after, NULL, &behind, 1), -EINVAL);
	EXPECT_EQ(nap_work_after(&after, &pool, NULL, 1), -EINVAL);
	EXPECT_EQ(nap_work_after(&after, &pool, &empty, 1), -EINVAL);
	EXPECT_EQ(nap_work_after(&after, &pool, &empty, 0), -EINVAL);
	EXPECT_EQ(nap_after_done(NULL), -EINVAL);
	EXPECT_TRUE(nap_work_is_idle(&behind));
}

TEST(it_runs_when_all_before_it_are_done)
{
	begin();
	EXPECT_EQ(nap_work_after(&after, &pool, &behind, BEFORE), 0);
	EXPECT_EQ(nap_work_after(&after, &pool, &behind, 1), -EBUSY);
	for (int i = 0; i + 1 < BEFORE; i++) {
		nap_work_init(&before[i].work, write_mine, NULL, NULL);
		EXPECT_EQ(nap_work_schedule(&pool, &before[i].work), 0);
	}
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_TRUE(nr_done == BEFORE - 1 && nr_last == 0 && nr_ended == 0);
	before[BEFORE - 1].wrote = 1;
	EXPECT_EQ(nap_after_done(&after), 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(nr_ended == 1 && result == 3 && seen == BEFORE);
}

TEST(or_at_once_where_there_is_nothing)
{
	begin();
	EXPECT_EQ(nap_work_after(&after, &pool, &behind, 0), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(nr_ended == 1 && result == 3 && seen == 0);
	EXPECT_EQ(nap_work_after(&after, &pool, &behind, 0), -ESHUTDOWN);
}

TEST(canceled_it_ends_when_its_turn_comes)
{
	begin();
	EXPECT_EQ(nap_work_after(&after, &pool, &behind, 2), 0);
	EXPECT_TRUE(nap_cancel(&behind));
	EXPECT_EQ(nap_after_done(&after), 0);
	EXPECT_EQ(nr_ended, 0u);
	EXPECT_EQ(nap_after_done(&after), 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(nr_ended == 1 && result == -ECANCELED && nap_work_is_idle(&behind));
}

TEST(refused_it_ends_as_canceled)
{
	begin();
	EXPECT_EQ(nap_work_after(&after, &pool, &behind, 1), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_after_done(&after), 1);
	EXPECT_TRUE(nr_ended == 1 && result == -ECANCELED && nap_work_is_idle(&behind));
}

/*
 * A drain begins while the first of two works runs. The @done of the first work makes the second
 * one due. If this @done runs on the worker, the second work still runs in the drain; if it runs on
 * a loop's thread, the second work is refused.
 */
static uint32_t door, inside, is_over;

static int wait_at_door(struct nap_work *work)
{
	(void)work;
	flag_set(&inside);
	flag_wait(&door);
	return 0;
}

static void first_ended(struct nap_work *work, int told)
{
	(void)work;
	(void)told;
	if (nap_after_done(&after) != 1)
		abort();
}

static void pool_ended(struct nap_task *task)
{
	(void)task;
	is_over = 1;
}

static int result_in_drain(struct nap_cq *loop, struct nap_cq *cq)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_end end;
	struct nap_work first;

	begin();
	if (nap_cq_init(loop))
		abort();
	nap_work_init(&first, wait_at_door, first_ended, cq);
	nap_work_init(&behind, look, ended, cq);
	nap_end_init(&end, pool_ended, loop);
	if (nap_work_after(&after, &pool, &behind, 1) || nap_work_schedule(&pool, &first))
		abort();
	flag_wait(&inside);
	if (nap_pool_notify_end(&pool, &end) || nap_pool_shutdown(&pool, NAP_DRAIN))
		abort();
	flag_set(&door);
	while (!is_over || !nr_ended) {
		nap__os_eventfd_wait(nap_cq_fd(loop), UINT64_MAX >> 1);
		nap_cq_run(loop, 0);
	}
	if (nap_work_finish(&pool, loop, &left) || left.count)
		abort();
	return result;
}

static struct nap_cq loop;

/* This program has neither serial nor ordered queues, so it does not link them. */
TEST(a_task_is_left_over_by_the_end_of_all_works)
{
	struct nap_task task = NAP_TASK_INIT(count_run);
	struct blocker blocker = BLOCKER_INIT;
	struct nap_batch left = NAP_BATCH_INIT;

	watchdog(&pool, 0);
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }), 0);
	ASSERT_EQ(nap_schedule(&pool, &blocker.task), 0);
	flag_wait(&blocker.running);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&blocker.let_go);
	ASSERT_EQ(nap_work_finish(&pool, NULL, &left), 0);
	EXPECT_TRUE(left.count == 1 && left.head == &task);
}

TEST(in_a_drain_a_worker_goes_on_with_a_graph)
{
	EXPECT_EQ(result_in_drain(&loop, NULL), 3);
}

TEST(in_a_drain_a_loop_ends_it)
{
	EXPECT_EQ(result_in_drain(&loop, &loop), -ECANCELED);
}

TEST_HARNESS_MAIN
