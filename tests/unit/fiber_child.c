/* SPDX-License-Identifier: MIT */
/* Fibers, and the child of a fork. */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nap/async.h>
#include <nap/channel.h>
#include <nap/fiber.h>
#include <nap/nap.h>

#include "arch/atomic.h"
#include "async/async.h"
#include "async/fiber/fiber.h"
#include "sync/lock.h"
#include "child_threads.h"
#include "harness.h"
#include "pool_fixture.h"
#include "watchdog.h"
#include "fiber_fixture.h"

static int use_in_child(struct nap_fiber *fiber)
{
	struct nap_fiber *again;
	intptr_t result = 0;
	uint64_t id = nap_fiber_id(fiber);

	if (nap_await(fiber, NULL) != -ESHUTDOWN || nap_detach(fiber) != -ESHUTDOWN ||
	    nap_spawn(&pool, NULL, number, NULL) != -ESHUTDOWN)
		return 1;
	if (nap_pool_init_child(&pool))
		return 2;
	if (nap_spawn(&pool, &again, number, (void *)5))
		return 3;
	/* The fiber is on the same stack as that of the parent. */
	if (nap_fiber_id(again) == id || nap_fiber_cancel_id(&pool, id) != -ESRCH)
		return 4;
	if (nap_await(again, &result) || result != 5)
		return 5;
	return nap_pool_join(&pool, NULL) ? 6 : 0;
}

static int exit_code(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(the_child_of_a_fork_begins_anew)
{
	struct nap_fiber *fiber;
	pid_t child;

	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, &fiber, waits, NULL), 0);
	until_waiting(1);
	child = fork();
	if (child == 0) {
		in_child = true;
		_exit(use_in_child(fiber));
	}
	EXPECT_EQ(exit_code(child), 0);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_await(fiber, NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

#define LONG ((uint64_t)200 * MS)

/* Returns the wait that is not refused, of the child's waits that no thread would end; or 0. */
static int waits_of_parent(void)
{
	static struct nap_sem sem = NAP_SEM_INIT(0);
	static struct nap_mutex mutex = NAP_MUTEX_INIT;
	static struct nap_cond cond = NAP_COND_INIT;
	static struct nap_event event = NAP_EVENT_INIT;
	static struct nap_channel channel = NAP_CHANNEL_INIT(NULL, 0, 0);
	struct nap_select_case select = { .channel = &channel };
	struct nap_group group = NAP_GROUP_INIT(NULL);

	nap_mutex_lock(&mutex);
	nap_group_add(&group, 1);
	return nap_sem_acquire_for(&sem, LONG) != -ESHUTDOWN ? 1 :
	       nap_mutex_lock_for(&mutex, LONG) != -ESHUTDOWN ? 2 :
	       nap_cond_wait_for(&cond, &mutex, LONG) != -ESHUTDOWN ? 3 :
	       nap_event_wait_for(&event, LONG) != -ESHUTDOWN ? 4 :
	       nap_channel_recv_for(&channel, NULL, LONG) != -ESHUTDOWN ? 5 :
	       nap_select_for(&select, 1, LONG) != -ESHUTDOWN ? 6 :
	       nap_sleep(MS) != -ESHUTDOWN ? 7 :
	       nap_group_wait_for(&group, LONG) != -ESHUTDOWN ? 8 : 0;
}

/* The child's own pools are waited for as by a thread. */
static int waits_of_child(void)
{
	static struct nap_pool own = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);
	struct nap_fiber *fiber;
	intptr_t result = 0;

	if (nap_spawn(&own, &fiber, number, (void *)3) || nap_await(fiber, &result) || result != 3)
		return 9;
	return nap_pool_join(&own, NULL) ? 10 : 0;
}

static intptr_t forks_and_waits(void *arg)
{
	pid_t child = fork();
	int failed;

	(void)arg;
	if (child)
		return exit_code(child);
	failed = waits_of_parent();
	_exit(failed ? failed : waits_of_child());
}

TEST(a_fiber_of_the_parent_waits_for_nothing)
{
	struct nap_fiber *fiber;
	intptr_t result = -1;

	ASSERT_EQ(nap_spawn(&pool, &fiber, forks_and_waits, NULL), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static struct nap_fiber *nested;
static pid_t forked;

static intptr_t forks_and_returns(void *arg)
{
	(void)arg;
	forked = fork();
	return 0;
}

/* Waits as a thread, so that the other fiber runs on this one's stack. */
static void await_nested(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	nap_await(nested, NULL);
}

static intptr_t has_a_fiber_fork(void *arg)
{
	struct nap_sem sem = NAP_SEM_INIT(0);

	(void)arg;
	if (nap_spawn(&pool, &nested, forks_and_returns, NULL) ||
	    nap_call(&pool, await_nested, NULL))
		return -1;
	if (!forked)
		_exit(nap_sem_acquire_for(&sem, LONG) == -ESHUTDOWN ? 0 : 1);
	return exit_code(forked);
}

TEST(a_fiber_below_the_one_that_forks_waits_for_nothing)
{
	struct nap_pool one = NAP_POOL_INIT(.max_workers = 1);
	struct nap_fiber *fiber;
	intptr_t result = -1;

	pool = one;
	ASSERT_EQ(nap_spawn(&pool, &fiber, has_a_fiber_fork, NULL), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static intptr_t forks(void *arg)
{
	pid_t child = fork();

	(void)arg;
	if (child == 0) {
		bool refused = nap_group_wait(&never) == -ESHUTDOWN &&
			       nap_spawn(&pool, NULL, number, NULL) == -ESHUTDOWN;

		nap_yield();
		_exit(refused && nap_pool_init_child(&pool) == -EDEADLK ? 7 : 8);
	}
	return exit_code(child);
}

TEST(a_fiber_forks)
{
	struct nap_fiber *fiber;
	intptr_t result = 0;

	begin_waiting(&pool);
	ASSERT_EQ(nap_spawn(&pool, &fiber, forks, NULL), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 7);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * ---- a thread waits, and runs a task that forks; in both processes the task returns
 *
 * The child finds what another thread of the parent has left: half of what ends the wait, or a lock
 * that it holds.
 */

static struct nap_fiber *awaited;
static struct nap_timer timer;
static uint32_t timer_runs, timer_may_end;
static void (*left_by_other)(void);
static bool returned_in_child;
static int child_code;

static void claim_wait(void)
{
	struct nap__joiner *joiner = (struct nap__joiner *)nap_load_relaxed(&awaited->joiner);

	if (!nap__fiber_wait_claim(joiner->node.wait, joiner->node.number, WAIT_WOKEN))
		_exit(1);
}

static void take_joiner(void)
{
	nap_store_relaxed(&awaited->joiner, JOINER_NOBODY);
}

static void take_lock(void)
{
	lock_take(&pool_async(&pool)->timers.lock);
}

static void fork_and_return(struct nap_task *task)
{
	pid_t child = fork();

	(void)task;
	if (child) {
		child_code = exit_code(child);
		flag_set(&timer_may_end);
		return;
	}
	in_child = returned_in_child = true;
	alarm(watchdog_seconds() / 4);
	left_by_other();
}

static void complete(struct nap_task *task)
{
	(void)task;
	nap_group_done(&never);
}

static void exit_if_child(int err)
{
	if (returned_in_child)
		_exit(err == -ESHUTDOWN ? 7 : 2);
}

TEST(a_fork_inside_an_await)
{
	static void (*const left[])(void) = { claim_wait, take_joiner };

	starts_fail = true;
	for (int i = 0; i < 2; i++) {
		struct nap_task tasks[] = {
			NAP_TASK_INIT(fork_and_return), NAP_TASK_INIT(complete)
		};
		int err;

		left_by_other = left[i];
		begin_waiting(&pool);
		ASSERT_EQ(nap_spawn(&pool, &awaited, waits, NULL), 0);
		ASSERT_EQ(nap_schedule(&pool, &tasks[0]), 0);
		ASSERT_EQ(nap_schedule(&pool, &tasks[1]), 0);
		err = nap_await(awaited, NULL);
		exit_if_child(err);
		EXPECT_EQ(err, 0);
		EXPECT_EQ(child_code, 7);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void run_timer(struct nap_task *task)
{
	(void)task;
	flag_set(&timer_runs);
	flag_wait(&timer_may_end);
}

static void *help(void *unused)
{
	while (!nap_load_relaxed(&timer_runs))
		if (nap_pool_help(&pool, 1) < 0)
			abort();
	return unused;
}

TEST(a_fork_inside_a_wait_for_a_timer)
{
	struct nap_task task = NAP_TASK_INIT(fork_and_return);
	pthread_t helper;
	int err;

	starts_fail = true;
	left_by_other = take_lock;
	nap_timer_init(&timer, run_timer);
	ASSERT_EQ(nap_schedule_after(&pool, &timer, 0), 0);
	ASSERT_EQ(pthread_create(&helper, NULL, help, NULL), 0);
	flag_wait(&timer_runs);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	err = nap_timer_cancel_wait(&timer, NAP_FOREVER);
	exit_if_child(err);
	EXPECT_EQ(err, 0);
	EXPECT_EQ(child_code, 7);
	pthread_join(helper, NULL);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * ---- a task waits for a channel, and forks in its sleep, as a signal's handler may
 *
 * Another thread holds the channel's lock at the fork. In the child no thread gives it back, and
 * the sleep ends at the deadline.
 */

#define HOUR ((uint64_t)3600000 * MS)

static struct nap_channel channel;
static int received;
static uint32_t asleep, lock_is_held, has_forked;
static __thread bool forks_in_sleep;

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	pid_t child;

	if (!forks_in_sleep)
		return __real_nap__futex_wait(word, expected, deadline);
	forks_in_sleep = false;
	flag_set(&asleep);
	flag_wait(&lock_is_held);
	child = fork();
	if (child) {
		child_code = exit_code(child);
		flag_set(&has_forked);
		return 0;
	}
	in_child = returned_in_child = true;
	nap_signals_unblock();	/* also the alarm's, which ends a child that hangs */
	alarm(watchdog_seconds() / 4);
	return -ETIMEDOUT;
}

static int selects(void)
{
	struct nap_select_case one = { .channel = &channel, .value = &received };

	return nap_select_for(&one, 1, HOUR);
}

static int receives(void)
{
	return nap_channel_recv_for(&channel, &received, HOUR);
}

static int (*waits_for_channel)(void);
static int result_of_wait;

static void wait_for_channel(struct nap_task *task)
{
	int err;

	(void)task;
	forks_in_sleep = true;
	err = waits_for_channel();
	exit_if_child(err);
	result_of_wait = err;
}

TEST(a_fork_inside_a_wait_for_a_channel)
{
	static int (*const waits_of[])(void) = { selects, receives };

	for (int i = 0; i < 2; i++) {
		struct nap_task task = NAP_TASK_INIT(wait_for_channel);
		int value = 5;

		nap_channel_init(&channel, NULL, sizeof(int), 0);
		waits_for_channel = waits_of[i];
		asleep = lock_is_held = has_forked = 0;
		received = 0;
		result_of_wait = -1;
		ASSERT_EQ(nap_schedule(&pool, &task), 0);
		flag_wait(&asleep);
		lock_take(&channel.lock);
		flag_set(&lock_is_held);
		flag_wait(&has_forked);
		lock_give(&channel.lock);
		EXPECT_EQ(child_code, 7);
		ASSERT_EQ(nap_channel_send(&channel, &value), 0);
		ASSERT_EQ(nap_pool_quiesce(&pool), 0);
		EXPECT_EQ(result_of_wait, 0);
		EXPECT_EQ(received, 5);
		EXPECT_TRUE(!channel.receivers.first && !channel.senders.first);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a scope, whose lock another thread holds at the fork */

TEST(a_scope_of_the_parent)
{
	struct nap_scope scope;
	pid_t child;

	begin_waiting(NULL);
	ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
	ASSERT_EQ(nap_scope_spawn(&scope, waits, NULL), 0);
	until_waiting(1);
	lock_take(&scope.lock);
	child = fork();
	if (child == 0) {
		alarm(watchdog_seconds() / 4);
		if (nap_scope_spawn(&scope, number, NULL) != -ESHUTDOWN)
			_exit(1);
		if (nap_scope_cancel(&scope) != -ESHUTDOWN || nap_scope_end(&scope) != -ESHUTDOWN)
			_exit(2);
		_exit(7);
	}
	EXPECT_EQ(exit_code(child), 7);
	lock_give(&scope.lock);
	ASSERT_EQ(nap_group_done(&never), 0);
	EXPECT_EQ(nap_scope_end(&scope), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* A fiber that has opened a scope forks. */
static intptr_t opens_one_and_forks(void *unused)
{
	struct nap_scope scope;
	pid_t child;
	int code;

	(void)unused;
	if (nap_scope_begin(&scope, &pool))
		return -1;
	lock_take(&scope.lock);
	child = fork();
	if (child == 0) {
		alarm(watchdog_seconds() / 4);
		_exit(nap_scope_end(&scope) == -ESHUTDOWN ? 7 : 8);
	}
	code = exit_code(child);
	lock_give(&scope.lock);
	return nap_scope_end(&scope) ? -2 : code;
}

TEST(a_scope_of_a_fiber_of_the_parent)
{
	struct nap_fiber *fiber;
	intptr_t result = -1;

	ASSERT_EQ(nap_spawn(&pool, &fiber, opens_one_and_forks, NULL), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 7);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
