/* SPDX-License-Identifier: MIT */
/*
 * nap_call() and the end of pools: a function that has begun runs to its end; if it has not begun,
 * its caller gets an error.
 */
#include "call_fixture.h"

static const enum nap_shutdown modes[] = { NAP_DRAIN, NAP_STOP };

static void *join_thread(void *left)
{
	if (nap_pool_join(&pool, left))
		abort();
	return NULL;
}

TEST_F(under, a_call_on_a_pool_that_ends_is_refused)
{
	for (int m = 0; m < 2; m++) {
		long result = -1;

		begin_pool(&pool, self->idle, 1);
		ASSERT_EQ(nap_pool_shutdown(&pool, modes[m]), 0);
		EXPECT_EQ(nap_call(&pool, call_fib, &result), -ESHUTDOWN);
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
#ifndef NAP_DEBUG	/* a debug build aborts: the pool was joined */
		EXPECT_EQ(nap_call(&pool, call_fib, &result), -ESHUTDOWN);
#endif
		EXPECT_EQ(result, -1);
	}
}

/* ---- a shutdown during the call */

static struct nap_task from_the_call;
static int schedule_err;
static long forked_sum;
static uint32_t fn_over;

static void go_on_behind_the_door(struct nap_worker *worker, void *arg)
{
	(void)arg;
	wait_at_door();
	nap_task_init(&from_the_call, count_run);
	schedule_err = nap_schedule(&pool, &from_the_call);
	forked_sum = fib(worker, nap_top(worker), 15);
	flag_set(&fn_over);
}

TEST_F(under, the_end_waits_for_a_call)
{
	for (int m = 0; m < 2; m++) {
		struct caller c;
		pthread_t joiner;

		nr_run = door = at_door = fn_over = 0;
		forked_sum = 0;
		begin_pool(&pool, self->idle, 2);
		ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
		caller_start(&c, &pool, go_on_behind_the_door);
		await_at_door(1);
		ASSERT_EQ(nap_pool_shutdown(&pool, modes[m]), 0);
		ASSERT_EQ(pthread_create(&joiner, NULL, join_thread, NULL), 0);
		usleep(5000);
		EXPECT_LT(nap_load_relaxed(&pool.phase), PHASE_JOINED);
		open_door();
		pthread_join(joiner, NULL);
		/* The test does not wait, because the join has waited for the function. */
		EXPECT_EQ(nap_load_acquire(&fn_over), 1);
		pthread_join(c.thread, NULL);
		EXPECT_EQ(c.err, 0);
		EXPECT_EQ(forked_sum, FIB_15);
		/* During a drain the function may still schedule, as a task may. */
		EXPECT_EQ(schedule_err, modes[m] == NAP_DRAIN ? 0 : -ESHUTDOWN);
		EXPECT_EQ(nr_run, modes[m] == NAP_DRAIN);
	}
}

/* ---- calls in the pool's list, which have not begun when the pool stops */

static struct nap_task busy, plain;

/* Keeps the only worker and every guest record busy, so that a new call stays in the list. */
static void fill_pool(struct __test_metadata *_metadata, enum nap_idle idle)
{
	begin_pool(&pool, idle, 1);
	nap_task_init(&busy, hold_task);
	ASSERT_EQ(nap_schedule(&pool, &busy), 0);
	await_at_door(1);
	take_all_places(&pool);
}

TEST_F(under, a_call_that_was_not_begun_is_canceled)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct caller c;

	fill_pool(_metadata, self->idle);
	caller_start(&c, &pool, NULL);
	await_listed(&pool);
	nap_task_init(&plain, count_run);
	ASSERT_EQ(nap_schedule(&pool, &plain), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	open_door();
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	pthread_join(c.thread, NULL);
	EXPECT_EQ(c.err, -ECANCELED);
	EXPECT_EQ(c.begun, 0);
	/* The join gives back the queued task, but nothing for the listed call. */
	EXPECT_EQ(left.count, 1);
	EXPECT_EQ(nap_batch_pop(&left), &plain);
	join_guests(_metadata);
	EXPECT_EQ(nr_run, 1);
}

/* A drain runs a call that has not begun. */
TEST_F(under, a_call_that_was_not_begun_is_drained)
{
	struct caller c;

	fill_pool(_metadata, self->idle);
	caller_start(&c, &pool, NULL);
	await_listed(&pool);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	open_door();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	pthread_join(c.thread, NULL);
	EXPECT_EQ(c.err, 0);
	EXPECT_EQ(c.begun, 1);
	join_guests(_metadata);
}

/*
 * The caller is a worker of @other. A stop of @other does not take the call out of the list of
 * @pool.
 */
static struct caller inner = { .pool = &pool, .err = 1 };
static uint32_t in_task, go_on;

static void call_from_task(struct nap_task *task)
{
	(void)task;
	flag_set(&in_task);
	flag_wait(&go_on);
	call_thread(&inner);
}

TEST_F(under, a_call_does_not_end_with_its_callers_pool)
{
	struct nap_task task = NAP_TASK_INIT(call_from_task);

	begin_pool(&other, self->idle, 1);
	fill_pool(_metadata, self->idle);
	ASSERT_EQ(nap_schedule(&other, &task), 0);
	flag_wait(&in_task);
	ASSERT_EQ(nap_pool_shutdown(&other, NAP_STOP), 0);
	flag_set(&go_on);
	await_listed(&pool);
	usleep(20000);
	EXPECT_EQ(nap_load_acquire(&inner.over), 0);
	open_door();
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	EXPECT_EQ(inner.err, 0);
	EXPECT_EQ(inner.begun, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	join_guests(_metadata);
}

TEST_HARNESS_MAIN
