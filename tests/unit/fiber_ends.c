/* SPDX-License-Identifier: MIT */
/* Fibers at the end of pools: drains, stops, other pools, the child of a fork; and what is refused. */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nap/fiber.h>
#include <nap/nap.h>

#include "atomic.h"
#include "harness.h"

#define MS 1000000u

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static struct nap_pool other = NAP_POOL_INIT(.max_workers = 1);
static struct nap_group never;	/* complete when a test says so */
static uint32_t nr_waiting, nr_ended;

static intptr_t waits(void *arg)
{
	int err;

	(void)arg;
	nap_fetch_add_relaxed(&nr_waiting, 1);
	err = nap_group_wait(&never);
	nap_fetch_add_relaxed(&nr_ended, 1);
	return err;
}

static void begin_waiting(struct nap_pool *of)
{
	nap_group_init(&never, of);
	nap_group_add(&never, 1);
}

/* They have begun, and have had time to fall asleep. */
static void until_waiting(uint32_t n)
{
	while (nap_load_relaxed(&nr_waiting) < n)
		usleep(100);
	usleep(5000);
}

/* ---- drains */

static void *done_later(void *arg)
{
	(void)arg;
	usleep(20000);
	nap_group_done(&never);
	return NULL;
}

TEST(a_drain_waits_for_those_who_wait)
{
	pthread_t thread;

	begin_waiting(NULL);
	for (int i = 0; i < 8; i++)
		ASSERT_EQ(nap_spawn(&pool, NULL, waits, NULL), 0);
	until_waiting(8);
	EXPECT_EQ(nap_pool_quiesce_for(&pool, 5 * MS), -ETIMEDOUT);
	EXPECT_EQ(nap_pool_join_for(&pool, NULL, 5 * MS), -ETIMEDOUT);
	ASSERT_EQ(pthread_create(&thread, NULL, done_later, NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 8);
	pthread_join(thread, NULL);
}

static intptr_t spawns_behind(void *arg)
{
	waits(arg);
	return nap_spawn(&pool, NULL, waits, NULL);
}

TEST(in_a_drain_fibers_spawn_others)
{
	struct nap_fiber *fiber;

	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, NULL, spawns_behind, NULL), 0);
	until_waiting(1);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_spawn(&pool, &fiber, waits, NULL), -ESHUTDOWN);
	EXPECT_EQ(fiber, NULL);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 2);
}

/* ---- stops */

static void task_run(struct nap_task *task)
{
	(void)task;
}

static uint32_t go;

static void holds_a_worker(struct nap_task *task)
{
	(void)task;
	while (!nap_load_acquire(&go))
		usleep(100);
}

TEST(a_stop_gives_tasks_back_and_ends_fibers)
{
	struct nap_task holders[2] = { NAP_TASK_INIT(holds_a_worker), NAP_TASK_INIT(holds_a_worker) };
	struct nap_task task = NAP_TASK_INIT(task_run);
	struct nap_batch left;

	begin_waiting(NULL);
	for (int i = 0; i < 100; i++)
		ASSERT_EQ(nap_spawn(&pool, NULL, waits, NULL), 0);
	until_waiting(100);
	ASSERT_EQ(nap_schedule(&pool, &holders[0]), 0);
	ASSERT_EQ(nap_schedule(&pool, &holders[1]), 0);
	usleep(5000);
	/* Queued, and so not begun. */
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	ASSERT_EQ(nap_spawn(&pool, NULL, waits, NULL), 0);
	/* Made ready: in queues as well. */
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	nap_store_release(&go, 1);
	ASSERT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(left.count, 1);
	EXPECT_EQ(left.head, &task);
	EXPECT_EQ(nap_load_relaxed(&nr_waiting), 100);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 100);
}

static intptr_t shields(void *arg)
{
	int err = waits(arg);

	nap_fiber_shield(true);
	/* The pool is stopped: there is nothing to wait for any more. */
	return err == -ECANCELED && nap_group_wait(&never) == -ECANCELED ? 0 : 1;
}

TEST(a_stop_is_for_the_shielded_too)
{
	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, NULL, shields, NULL), 0);
	until_waiting(1);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 1);
}

/* ---- other pools */

TEST(a_stop_of_the_groups_pool_ends_the_wait)
{
	struct nap_fiber *fiber;
	intptr_t result = 0;

	begin_waiting(&other);
	ASSERT_EQ(nap_spawn(&pool, &fiber, waits, NULL), 0);
	until_waiting(1);
	ASSERT_EQ(nap_pool_shutdown(&other, NAP_STOP), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(both_pools_are_stopped_and_joined)
{
	for (int i = 0; i < 4; i++) {
		struct nap_pool *first = i & 1 ? &pool : &other, *second = i & 1 ? &other : &pool;

		nap_store_relaxed(&nr_waiting, 0);
		begin_waiting(&other);
		for (int n = 0; n < 20; n++)
			ASSERT_EQ(nap_spawn(&pool, NULL, waits, NULL), 0);
		until_waiting(20);
		ASSERT_EQ(nap_pool_shutdown(i & 2 ? first : second, NAP_STOP), 0);
		ASSERT_EQ(nap_pool_shutdown(i & 2 ? second : first, NAP_STOP), 0);
		ASSERT_EQ(nap_pool_join(first, NULL), 0);
		ASSERT_EQ(nap_pool_join(second, NULL), 0);
		ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 2 }), 0);
		ASSERT_EQ(nap_pool_init(&other, &(struct nap_config){ .max_workers = 1 }), 0);
	}
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 80);
}

TEST(a_group_outlives_its_pool)
{
	struct nap_fiber *fiber;
	intptr_t result = 1;

	begin_waiting(&other);
	ASSERT_EQ(nap_spawn(&pool, &fiber, waits, NULL), 0);
	until_waiting(1);
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	ASSERT_EQ(nap_await_for(fiber, &result, 5 * MS), -ETIMEDOUT);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- the child of a fork */

static intptr_t number(void *arg)
{
	return (intptr_t)arg;
}

static int in_child(struct nap_fiber *fiber)
{
	struct nap_fiber *again;
	intptr_t result = 0;

	if (nap_await(fiber, NULL) != -ESHUTDOWN || nap_spawn(&pool, NULL, number, NULL) != -ESHUTDOWN)
		return 1;
	if (nap_pool_init_child(&pool))
		return 2;
	if (nap_spawn(&pool, &again, number, (void *)5) || nap_await(again, &result) || result != 5)
		return 3;
	return nap_pool_join(&pool, NULL) ? 4 : 0;
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
	if (child == 0)
		_exit(in_child(fiber));
	EXPECT_EQ(exit_code(child), 0);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_await(fiber, NULL), 0);
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

/* ---- what is refused */

TEST(stacks_are_sized_once_and_run_out)
{
	struct nap_fiber *fibers[5];

	EXPECT_EQ(nap_fibers_init(NULL, &(struct nap_fibers_config){ 0 }), -EINVAL);
	EXPECT_EQ(nap_fibers_init(&pool, NULL), -EINVAL);
	EXPECT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ .stack_size = 4096 }), -EINVAL);
	EXPECT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ .flags = 2 }), -EINVAL);
	ASSERT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ .stack_size = 20000, .most = 4 }), 0);
	EXPECT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ 0 }), -EBUSY);
	begin_waiting(NULL);
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], waits, NULL), 0);
	EXPECT_EQ(nap_spawn(&pool, &fibers[4], waits, NULL), -EAGAIN);
	EXPECT_EQ(fibers[4], NULL);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_await(fibers[0], NULL), 0);
	ASSERT_EQ(nap_spawn(&pool, &fibers[4], number, NULL), 0);
	for (int i = 1; i < 5; i++)
		ASSERT_EQ(nap_await(fibers[i], NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_spawn(&pool, NULL, number, NULL), -ESHUTDOWN);
	EXPECT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ 0 }), -ESHUTDOWN);
}

static intptr_t awaits_itself(void *arg)
{
	(void)arg;
	return nap_await(nap_fiber_self(), NULL);
}

/* Whichever of the two comes first is told nothing; this one comes again. */
static void *awaits(void *fiber)
{
	int err;

	while ((err = nap_await(fiber, NULL)) == -EBUSY)
		usleep(100);
	return (void *)(intptr_t)err;
}

TEST(who_may_await)
{
	struct nap_fiber *fiber;
	pthread_t thread;
	intptr_t result;
	void *err;

	EXPECT_EQ(nap_await(NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_detach(NULL), -EINVAL);
	EXPECT_EQ(nap_fiber_cancel(NULL), -EINVAL);
	EXPECT_EQ(nap_spawn(NULL, NULL, number, NULL), -EINVAL);
	EXPECT_EQ(nap_spawn(&pool, NULL, NULL, NULL), -EINVAL);
	ASSERT_EQ(nap_spawn(&pool, &fiber, awaits_itself, NULL), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, -EDEADLK);

	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, &fiber, waits, NULL), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, awaits, fiber), 0);
	while (nap_await_for(fiber, NULL, MS) != -EBUSY)
		usleep(100);
	EXPECT_EQ(nap_detach(fiber), -EBUSY);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(pthread_join(thread, &err), 0);
	EXPECT_EQ((intptr_t)err, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- canceling */

static intptr_t sees_it(void *arg)
{
	int first, second;

	while (!nap_fiber_canceled())
		nap_yield();
	first = waits(arg);
	nap_fiber_shield(true);
	second = nap_group_wait(&never);
	return first == -ECANCELED && second == 0 && nap_fiber_shield(false) &&
	       nap_group_wait(arg) == -ECANCELED;
}

TEST(a_canceled_fiber_is_told_in_each_wait)
{
	struct nap_group also = NAP_GROUP_INIT(NULL);
	struct nap_fiber *fiber;
	intptr_t result = 0;

	nap_group_add(&also, 1);
	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, &fiber, sees_it, &also), 0);
	ASSERT_EQ(nap_fiber_cancel(fiber), 0);
	ASSERT_EQ(nap_fiber_cancel(fiber), 0);
	until_waiting(1);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 1);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- where a fiber waits as a thread */

static intptr_t forks_and_waits(struct nap_worker *worker, struct nap_frame *top, intptr_t n);
NAP_JOB(forks_and_waits, intptr_t, intptr_t)

static intptr_t forks_and_waits(struct nap_worker *worker, struct nap_frame *top, intptr_t n)
{
	intptr_t other_half;

	if (n < 2) {
		/* In the middle of jobs: the worker waits, and does what is queued. */
		struct nap_fiber *fiber;
		intptr_t result = -1;

		if (nap_spawn(&pool, &fiber, number, (void *)n) || nap_await(fiber, &result))
			return -1000;
		return result;
	}
	top = forks_and_waits_fork(worker, top, n - 1);
	other_half = forks_and_waits(worker, top, n - 2);
	return other_half + forks_and_waits_join(worker, top - 1, n - 1);
}

static intptr_t forks_jobs(void *arg)
{
	struct nap_worker *worker = nap_worker_self();

	return forks_and_waits(worker, nap_top(worker), (intptr_t)arg);
}

TEST(fibers_fork_jobs_that_wait)
{
	struct nap_fiber *fibers[4];
	intptr_t result;

	for (int i = 0; i < 4; i++)
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], forks_jobs, (void *)10), 0);
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(nap_await(fibers[i], &result), 0);
		EXPECT_EQ(result, 55);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
