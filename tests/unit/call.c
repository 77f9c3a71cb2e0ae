/* SPDX-License-Identifier: MIT */
/* nap_call(): where the function runs, as which worker, and which threads take its jobs. */
#include "call_fixture.h"

TEST(arguments)
{
	EXPECT_EQ(nap_call(NULL, hold, NULL), -EINVAL);
	EXPECT_EQ(nap_call(&pool, NULL, NULL), -EINVAL);
}

/* ---- the function's worker */

struct seen {
	struct nap_worker *worker, *self;
	struct nap_pool *pool;
	uint32_t index;
	long result;
};

static void see(struct nap_worker *worker, void *arg)
{
	struct seen *seen = arg;

	seen->worker = worker;
	seen->self = nap_worker_self();
	seen->pool = nap_worker_pool(worker);
	seen->index = nap_worker_index(worker);
	seen->result = fib(worker, nap_top(worker), 15);
}

TEST_F(under, from_outside_the_caller_is_a_guest)
{
	struct seen seen;

	begin_pool(&pool, self->idle, 2);
	for (int i = 0; i < 3; i++) {
		seen = (struct seen){ 0 };
		ASSERT_EQ(nap_call(&pool, see, &seen), 0);
		EXPECT_EQ(seen.result, FIB_15);
		EXPECT_EQ(seen.self, seen.worker);
		EXPECT_EQ(seen.pool, &pool);
		/* Each call gives its guest record back, so the next call has the same index. */
		EXPECT_EQ(seen.index, 2);
		EXPECT_EQ(nap_worker_self(), NULL);
		EXPECT_EQ(guests_inside(&pool), 0);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* In the largest pool, too, a guest's index fits into the fields of the idle protocols. */
TEST_F(under, the_largest_pool_has_places)
{
	struct seen seen = { 0 };

	begin_pool(&pool, self->idle, NAP_MAX_WORKERS);
	ASSERT_EQ(nap_call(&pool, see, &seen), 0);
	EXPECT_EQ(seen.result, FIB_15);
	EXPECT_EQ(seen.index, NAP_MAX_WORKERS);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* nap_call() inside a task, inside another call, and inside a call on another pool. */
static struct seen in_task, in_call, back_again;
static struct nap_worker *task_worker, *after_call;

static void call_in_task(struct nap_task *task)
{
	(void)task;
	task_worker = nap_worker_self();
	if (nap_call(&pool, see, &in_task))
		abort();
	after_call = nap_worker_self();
}

static void call_in_call(struct nap_worker *worker, void *arg)
{
	see(worker, arg);
	if (nap_call(&pool, see, &in_call))
		abort();
}

static void call_back(struct nap_worker *worker, void *arg)
{
	see(worker, arg);
	if (nap_call(&pool, see, &back_again))
		abort();
}

static void call_other(struct nap_worker *worker, void *arg)
{
	see(worker, arg);
	if (nap_call(&other, call_back, &in_call))
		abort();
	((struct seen *)arg)->self = nap_worker_self();
}

TEST_F(under, on_a_worker_it_is_a_plain_call)
{
	struct nap_task task = NAP_TASK_INIT(call_in_task);

	begin_pool(&pool, self->idle, 2);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(in_task.result, FIB_15);
	EXPECT_EQ(in_task.worker, task_worker);
	EXPECT_EQ(after_call, task_worker);
	EXPECT_LT(in_task.index, 2);
}

TEST_F(under, on_a_worker_of_another_pool_it_is_a_guest)
{
	struct nap_task task = NAP_TASK_INIT(call_in_task);

	begin_pool(&pool, self->idle, 2);
	begin_pool(&other, self->idle, 1);
	ASSERT_EQ(nap_schedule(&other, &task), 0);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
	EXPECT_EQ(in_task.result, FIB_15);
	EXPECT_EQ(in_task.self, in_task.worker);
	EXPECT_EQ(in_task.index, 2);
	EXPECT_NE(task_worker, in_task.worker);
	EXPECT_EQ(after_call, task_worker);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_F(under, calls_nest)
{
	struct seen outer;

	begin_pool(&pool, self->idle, 2);
	begin_pool(&other, self->idle, 2);
	ASSERT_EQ(nap_call(&pool, call_in_call, &outer), 0);
	EXPECT_EQ(in_call.worker, outer.worker);
	EXPECT_EQ(in_call.result, FIB_15);
	/* In a call back into the first pool the thread is the same guest of that pool. */
	ASSERT_EQ(nap_call(&pool, call_other, &outer), 0);
	EXPECT_EQ(outer.self, outer.worker);
	EXPECT_EQ(outer.index, 2);
	EXPECT_EQ(in_call.pool, &other);
	EXPECT_EQ(in_call.index, 2);
	EXPECT_EQ(back_again.pool, &pool);
	EXPECT_EQ(back_again.worker, outer.worker);
	EXPECT_EQ(back_again.self, outer.worker);
	EXPECT_EQ(back_again.result, FIB_15);
	EXPECT_EQ(nap_worker_self(), NULL);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
}

/* A thread that helps runs a task as a guest. A call inside the task has the same guest record. */
TEST_F(under, a_helpers_task_may_call)
{
	struct nap_task task = NAP_TASK_INIT(call_in_task), busy = NAP_TASK_INIT(hold_task);

	begin_pool(&pool, self->idle, 1);
	ASSERT_EQ(nap_schedule(&pool, &busy), 0);
	await_at_door(1);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_pool_help(&pool, 1), 1);
	EXPECT_NE(task_worker, NULL);
	EXPECT_EQ(after_call, task_worker);
	EXPECT_EQ(in_task.worker, task_worker);
	EXPECT_EQ(in_task.index, 1);
	EXPECT_EQ(in_task.result, FIB_15);
	open_door();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- the jobs that a function forks, and the tasks that it schedules */

struct taken {
	uint32_t index, taken;
};

static void take_job(struct nap_worker *worker, struct nap_frame *top, struct taken *t)
{
	(void)top;
	t->index = nap_worker_index(worker);
	flag_set(&t->taken);
}

NAP_JOB_VOID(take_job, struct taken *)

static void fork_and_await(struct nap_worker *worker, void *arg)
{
	struct nap_frame *top = nap_top(worker);
	struct taken *t = arg;

	take_job_fork(worker, top, t);
	flag_wait(&t->taken);
	if (nap_join(worker, top))
		abort();
}

TEST_F(under, what_a_guest_forks_is_taken_by_the_workers)
{
	struct nap_pool_stats stats;

	begin_pool(&pool, self->idle, 1);
	for (int i = 0; i < 100; i++) {
		struct taken t = { .index = UINT32_MAX };

		ASSERT_EQ(nap_call(&pool, fork_and_await, &t), 0);
		ASSERT_EQ(t.index, 0);
	}
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.workers.jobs_stolen, 100);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.workers.jobs_stolen, 100);
}

enum { TASKS = 600 };	/* more tasks than a ring holds */
static struct nap_task tasks[TASKS];

static void schedule_many(struct nap_worker *worker, void *arg)
{
	(void)worker;
	for (int i = 0; i < TASKS; i++) {
		nap_task_init(&tasks[i], count_run);
		if (nap_schedule(arg, &tasks[i]))
			abort();
	}
}

TEST_F(under, what_a_guest_schedules_outlives_it)
{
	begin_pool(&pool, self->idle, 2);
	for (int i = 1; i <= 10; i++) {
		ASSERT_EQ(nap_call(&pool, schedule_many, &pool), 0);
		ASSERT_EQ(nap_pool_quiesce(&pool), 0);
		ASSERT_EQ(nr_run, (unsigned long)i * TASKS);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Waits for a tree of tasks, in the called function itself and in a job that the function forks. */
static void wait_for_tree(struct nap_worker *worker, struct nap_frame *top, void *unused)
{
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct member m = { NAP_TASK_INIT(member_fork), &group, &pool, 5 };

	(void)worker;
	(void)top;
	(void)unused;
	nap_group_add(&group, 1);
	if (nap_schedule(&pool, &m.task) || nap_group_wait(&group))
		abort();
}

NAP_JOB_VOID(wait_for_tree, void *)

static void wait_for_trees(struct nap_worker *worker, void *arg)
{
	struct nap_frame *top = nap_top(worker);

	wait_for_tree(worker, wait_for_tree_fork(worker, top, arg), arg);
	wait_for_tree_join(worker, top, arg);
}

TEST_F(under, calls_and_jobs_wait_for_groups)
{
	unsigned long n = nap_test_count(100) + 1;

	begin_pool(&pool, self->idle, 2);
	for (unsigned long i = 0; i < n; i++)
		ASSERT_EQ(nap_call(&pool, wait_for_trees, NULL), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, n * 2 * 63);
}

/* ---- a call is a part of the pool's work */

TEST_F(under, quiesce_waits_for_a_call)
{
	struct nap_pool_stats stats;
	struct caller c;

	begin_pool(&pool, self->idle, 1);
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	caller_start(&c, &pool, hold);
	await_at_door(1);
	EXPECT_EQ(nap_pool_quiesce_for(&pool, 5000000), -ETIMEDOUT);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.max_workers, 1);
	open_door();
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(guests_inside(&pool), 0);
	pthread_join(c.thread, NULL);
	EXPECT_EQ(c.err, 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
