/* SPDX-License-Identifier: MIT */
/*
 * Threads that are cancelled, or exit, inside nap. A caller or a joiner ends at once; a waiter ends
 * after its wait.
 */
#include "call_fixture.h"

#ifdef __SANITIZE_ADDRESS__
/*
 * A cancellation leaves functions, and AddressSanitizer is not told that they have ended: their
 * parts of the stack stay poisoned. When the thread then ends, AddressSanitizer gives back the
 * signal stack that it has given the thread, and reports an overflow of one of its own variables.
 * So threads get no signal stack from it.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "use_sigaltstack=0";
}
#endif

/* ---- calls: the caller's thread ends inside its function */

static void (*leave)(void);

static void by_exit(void)
{
	pthread_exit(NULL);
}

static void by_cancellation(void)
{
	pthread_cancel(pthread_self());
	pthread_testcancel();
}

static void leave_call(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	leave();
}

static void init_one(void)
{
	begin_pool(&pool, NAP_IDLE_SYNC, 1);
}

static void *call_and_leave(void *unused)
{
	(void)unused;
	nap_call(&pool, leave_call, NULL);
	return NULL;
}

/*
 * Checks that callers that end inside a call give back their guest records: the test has more
 * callers than there are records.
 */
static void expect_places_back(struct __test_metadata *_metadata)
{
	struct nap_task count = NAP_TASK_INIT(count_run);

	watchdog(&pool, 0);
	init_one();
	for (unsigned int i = 0; i < 2 * NAP_GUESTS; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, call_and_leave, NULL);
		pthread_join(thread, NULL);
	}
	EXPECT_EQ(nap_load_relaxed(&pool.nr_guests), 1);
	EXPECT_EQ(nap_schedule(&pool, &count), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_thread_may_end_inside_a_call)
{
	leave = by_exit;
	expect_places_back(_metadata);
}

TEST(a_thread_may_be_cancelled_inside_a_call)
{
	leave = by_cancellation;
	expect_places_back(_metadata);
}

/* ---- joiners */

#ifndef NAP_TEST_TSAN	/* ThreadSanitizer reports a thread that is cancelled in pthread_join() */
static void *join_thread(void *result)
{
	*(int *)result = nap_pool_join(&pool, NULL);
	return NULL;
}

static void *join_for_thread(void *result)
{
	*(int *)result = nap_pool_join_for(&pool, NULL, 1000 * (uint64_t)1000000000);
	return NULL;
}

static void *finish_thread(void *result)
{
	struct nap_batch left;

	*(int *)result = nap_work_finish(&pool, NULL, &left);
	return NULL;
}

/*
 * Cancels a joiner that waits for a thread of a stopped pool. @another: a second joiner waits, too.
 */
static void cancel_joiner(struct __test_metadata *_metadata, void *(*joiner)(void *), bool another)
{
	struct nap_task hold = NAP_TASK_INIT(hold_task);
	int errs[] = { 1, 1 };
	pthread_t first, second;
	void *result;

	door = at_door = 0;
	init_one();
	ASSERT_EQ(nap_schedule(&pool, &hold), 0);
	await_at_door(1);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	pthread_create(&first, NULL, joiner, &errs[0]);
	while (nap_load_relaxed(&pool.join) != JOIN_BUSY)
		usleep(100);
	if (another)
		pthread_create(&second, NULL, join_thread, &errs[1]);
	ASSERT_EQ(pthread_cancel(first), 0);
	pthread_join(first, &result);
	EXPECT_EQ(result, PTHREAD_CANCELED);
	open_door();
	if (another)
		pthread_join(second, NULL);
	else
		errs[1] = nap_pool_join(&pool, NULL);
	EXPECT_EQ(errs[0], 1);
	EXPECT_EQ(errs[1], 0);
	EXPECT_EQ(count_workers(), 0);
}

TEST(a_cancelled_joiner_leaves_the_pool_to_the_next)
{
	watchdog(&pool, 0);
	cancel_joiner(_metadata, join_thread, false);
	cancel_joiner(_metadata, join_thread, true);
	cancel_joiner(_metadata, join_for_thread, false);
	cancel_joiner(_metadata, join_for_thread, true);
	cancel_joiner(_metadata, finish_thread, false);
	cancel_joiner(_metadata, finish_thread, true);
}
#endif

/* ---- waiters: a cancellation stays pending until the wait has ended */

static struct nap_group group = NAP_GROUP_INIT(&pool);
static int waited;

static void *wait_thread(void *unused)
{
	(void)unused;
	waited = nap_group_wait(&group);
	pthread_testcancel();
	return NULL;
}

static void *quiesce_thread(void *unused)
{
	(void)unused;
	waited = nap_pool_quiesce(&pool);
	pthread_testcancel();
	return NULL;
}

static void cancel_waiter(struct __test_metadata *_metadata, void *(*waiter)(void *))
{
	struct nap_task hold = NAP_TASK_INIT(hold_task);
	pthread_t thread;
	void *result;

	door = at_door = 0;
	waited = 1;
	init_one();
	nap_group_add(&group, 1);
	ASSERT_EQ(nap_schedule(&pool, &hold), 0);
	await_at_door(1);
	pthread_create(&thread, NULL, waiter, NULL);
	while (!nap_load_relaxed(&pool.waiters))
		usleep(100);
	ASSERT_EQ(pthread_cancel(thread), 0);
	open_door();
	nap_group_done(&group);
	pthread_join(thread, &result);
	EXPECT_EQ(result, PTHREAD_CANCELED);
	EXPECT_EQ(waited, 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_cancelled_waiter_comes_to_the_end_of_its_wait)
{
	watchdog(&pool, 0);
	cancel_waiter(_metadata, wait_thread);
	cancel_waiter(_metadata, quiesce_thread);
}

/*
 * The end of a scope whose pool is stopped joins the pool's workers. The cancellation stays pending
 * there, too.
 */
static struct nap_scope scope;

static intptr_t sleeps(void *arg)
{
	flag_set(&at_door);
	while (!nap_sleep(1000000000))
		;
	return (intptr_t)arg;
}

/* So that the worker's thread has not ended yet when it is joined. */
static void ends_slowly(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	usleep(20000);
}

static void *scope_thread(void *unused)
{
	nap_scope_end(&scope);
	waited = 1;
	pthread_testcancel();
	return unused;
}

TEST(a_scope_is_ended_before_its_thread_is_cancelled)
{
	struct nap_config config = { .max_workers = 1, .worker_stop = ends_slowly };
	pthread_t thread;
	void *result;

	waited = at_door = 0;
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
	ASSERT_EQ(nap_scope_spawn(&scope, sleeps, NULL), 0);
	flag_wait(&at_door);
	pthread_create(&thread, NULL, scope_thread, NULL);
	ASSERT_EQ(pthread_cancel(thread), 0);
	nap_pool_shutdown(&pool, NAP_STOP);
	pthread_join(thread, &result);
	EXPECT_EQ(result, PTHREAD_CANCELED);
	EXPECT_EQ(waited, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
