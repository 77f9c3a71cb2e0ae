/* SPDX-License-Identifier: MIT */
/*
 * A join that times out, at each point where it waits: the pool stays shut down, and the next join
 * ends it.
 */
#include <errno.h>
#include <pthread.h>

#include "call_fixture.h"

#define SOON 20000000u	/* 20 ms */

static void *join_thread(void *result)
{
	*(int *)result = nap_pool_join(&pool, NULL);
	return NULL;
}

/* Checks that a join times out, however often it is tried and however short its time is. */
static void expect_too_late(struct __test_metadata *_metadata)
{
	struct nap_batch left = { .count = 1 };
	struct nap_task task = NAP_TASK_INIT(count_run);

	EXPECT_EQ(nap_pool_join_for(&pool, &left, SOON), -ETIMEDOUT);
	EXPECT_EQ(left.count, 0);
	EXPECT_EQ(nap_pool_join_for(&pool, NULL, 0), -ETIMEDOUT);
	EXPECT_EQ(nap_pool_join_for(&pool, NULL, 1), -ETIMEDOUT);
	EXPECT_EQ(nap_schedule(&pool, &task), -ESHUTDOWN);
}

static void expect_joined(struct __test_metadata *_metadata)
{
	EXPECT_EQ(nap_pool_join_for(&pool, NULL, NAP_FOREVER), 0);
	EXPECT_EQ(nap_pool_join_for(&pool, NULL, 0), -EALREADY);
	EXPECT_EQ(count_workers(), 0);
	EXPECT_EQ(pool.records, NULL);
}

TEST_F(under, no_time_is_enough_for_a_pool_at_rest)
{
	begin_pool(&pool, self->idle, 2);
	EXPECT_EQ(nap_pool_join_for(&pool, NULL, 0), 0);
	EXPECT_EQ(nap_pool_join_for(NULL, NULL, 0), -EINVAL);
}

/* The joiner gives up while a call is inside the intake. */
TEST_F(under, a_call_outlasts_a_joiner)
{
	struct caller c;

	begin_pool(&pool, self->idle, 2);
	caller_start(&c, &pool, hold);
	await_at_door(1);
	expect_too_late(_metadata);
	open_door();
	pthread_join(c.thread, NULL);
	EXPECT_EQ(c.err, 0);
	expect_joined(_metadata);
}

/* The joiner gives up during the drain, and the drain goes on. */
TEST_F(under, a_task_outlasts_a_joiner)
{
	struct nap_task task = NAP_TASK_INIT(hold_task), next = NAP_TASK_INIT(count_run);

	begin_pool(&pool, self->idle, 1);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	ASSERT_EQ(nap_schedule(&pool, &next), 0);
	await_at_door(1);
	expect_too_late(_metadata);
	open_door();
	while (nap_load_acquire(&nr_run) < 2)
		usleep(100);
	expect_joined(_metadata);
}

/*
 * The joiner gives up while it waits for threads. The next join returns the tasks that the stop has
 * left.
 */
TEST_F(under, a_task_of_a_stopped_pool_outlasts_a_joiner)
{
	struct nap_task task = NAP_TASK_INIT(hold_task), never = NAP_TASK_INIT(count_run);
	struct nap_batch left;

	begin_pool(&pool, self->idle, 1);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	await_at_door(1);
	ASSERT_EQ(nap_schedule(&pool, &never), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	expect_too_late(_metadata);
	/* No caller is refused before the workers have gone. */
	EXPECT_FALSE(gate_is_closed(&pool.visits));
	open_door();
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(left.count, 1);
	EXPECT_EQ(nap_batch_pop(&left), &never);
	EXPECT_EQ(nr_run, 1);
	EXPECT_EQ(count_workers(), 0);
}

/* The joiner gives up while it waits for threads, one of which has been joined. */
static void hold_first(struct nap_worker *worker, void *arg)
{
	(void)arg;
	if (nap_worker_index(worker) == 0)
		wait_at_door();
}

TEST_F(under, a_callback_outlasts_a_joiner)
{
	struct nap_config config = { .idle = self->idle, .max_workers = 3,
				     .worker_stop = hold_first };

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, 3), 0);
	expect_too_late(_metadata);
	/* Every task has run, though a worker is still in worker_stop. */
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	open_door();
	expect_joined(_metadata);
}

static uint32_t gave_up;

static void *join_shortly(void *result)
{
	*(int *)result = nap_pool_join_for(&pool, NULL, 20 * (uint64_t)SOON);
	flag_set(&gave_up);
	return NULL;
}

static void *quiesce_thread(void *result)
{
	*(int *)result = nap_pool_quiesce(&pool);
	return NULL;
}

/*
 * While the only worker is in its worker_stop, the pool is not at rest, and no worker will notify
 * the waiter for quiescence. A joiner that gives up has to notify this waiter.
 */
TEST_F(under, who_waits_for_quiet_outlasts_a_joiner)
{
	struct nap_config config = { .idle = self->idle, .max_workers = 1,
				     .worker_stop = hold_first };
	pthread_t joiner, waiter;
	int joined = 1, quiet = 1;

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	pthread_create(&joiner, NULL, join_shortly, &joined);
	await_at_door(1);
	pthread_create(&waiter, NULL, quiesce_thread, &quiet);
	pthread_join(joiner, NULL);
	EXPECT_EQ(joined, -ETIMEDOUT);
	pthread_join(waiter, NULL);
	EXPECT_EQ(quiet, 0);
	open_door();
	expect_joined(_metadata);
}

/*
 * The joiner gives up while it waits for visitors: a thread still helps after all workers have
 * ended.
 */
static void *help_thread(void *unused)
{
	(void)unused;
	nap_pool_help(&pool, 1);
	return NULL;
}

TEST_F(under, a_helper_outlasts_a_joiner)
{
	struct blocker busy = BLOCKER_INIT;
	struct nap_task helped = NAP_TASK_INIT(hold_task);
	pthread_t helper;

	begin_pool(&pool, self->idle, 1);
	ASSERT_EQ(nap_schedule(&pool, &busy.task), 0);
	flag_wait(&busy.running);
	ASSERT_EQ(nap_schedule(&pool, &helped), 0);
	pthread_create(&helper, NULL, help_thread, NULL);
	await_at_door(1);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&busy.let_go);
	while (!gate_is_closed(&pool.visits))
		EXPECT_EQ(nap_pool_join_for(&pool, NULL, SOON), -ETIMEDOUT);
	expect_too_late(_metadata);
	open_door();
	pthread_join(helper, NULL);
	expect_joined(_metadata);
}

/* A second joiner has more time than the first. */
TEST_F(under, a_joiner_outlasts_a_joiner)
{
	struct nap_task task = NAP_TASK_INIT(hold_task);
	pthread_t joiner;
	int err = 1;

	begin_pool(&pool, self->idle, 1);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	await_at_door(1);
	pthread_create(&joiner, NULL, join_thread, &err);
	while (nap_load_relaxed(&pool.join) != JOIN_BUSY)
		usleep(100);
	expect_too_late(_metadata);
	open_door();
	pthread_join(joiner, NULL);
	EXPECT_EQ(err, 0);
	EXPECT_EQ(nap_pool_join_for(&pool, NULL, SOON), -EALREADY);
}

/*
 * The second joiner waits for the first joiner. When the first joiner gives up, the second joiner
 * goes on with the end of the pool.
 */
TEST_F(under, a_joiner_goes_on_where_another_gave_up)
{
	struct nap_task task = NAP_TASK_INIT(hold_task);
	pthread_t first, second;
	int errs[] = { 1, 1 };

	begin_pool(&pool, self->idle, 1);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	await_at_door(1);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	pthread_create(&first, NULL, join_shortly, &errs[0]);
	while (nap_load_relaxed(&pool.join) != JOIN_BUSY && !nap_load_relaxed(&gave_up))
		usleep(100);
	pthread_create(&second, NULL, join_thread, &errs[1]);
	pthread_join(first, NULL);
	EXPECT_EQ(errs[0], -ETIMEDOUT);
	while (nap_load_relaxed(&pool.join) != JOIN_BUSY)
		usleep(100);
	open_door();
	pthread_join(second, NULL);
	EXPECT_EQ(errs[1], 0);
}

TEST_HARNESS_MAIN
