/* SPDX-License-Identifier: MIT */
/*
 * A worker of one pool inside nap_call() on another pool. Inside the call the thread is a guest of
 * the other pool, but every call on the first pool still takes the thread for the first pool's
 * worker. Each pool has one worker, so a call can take the thread for no other worker.
 */
#include "call_fixture.h"

static struct nap_worker *outer, *guest;
static struct __test_metadata *metadata;
static void (*inside)(struct __test_metadata *_metadata);
static bool done;

static void run_inside(struct nap_worker *worker, void *unused)
{
	(void)unused;
	guest = worker;
	inside(metadata);
	done = true;
}

static void call_other(struct nap_task *task)
{
	(void)task;
	outer = nap_worker_self();
	if (nap_call(&other, run_inside, NULL))
		abort();
	if (nap_worker_self() != outer)
		abort();
}

static void begin(enum nap_idle idle, struct __test_metadata *_metadata,
		  void (*fn)(struct __test_metadata *_metadata), struct nap_task *task)
{
	metadata = _metadata;
	inside = fn;
	begin_pool(&pool, idle, 1);
	begin_pool(&other, idle, 1);
	nap_task_init(task, call_other);
	ASSERT_EQ(nap_schedule(&pool, task), 0);
}

static void end(struct __test_metadata *_metadata)
{
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(done);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
}

static void wait_for_all(struct __test_metadata *_metadata)
{
	EXPECT_EQ(nap_pool_join(&pool, NULL), -EDEADLK);
	EXPECT_EQ(nap_pool_quiesce(&pool), -EDEADLK);
	EXPECT_EQ(nap_pool_join(&other, NULL), -EDEADLK);
	EXPECT_EQ(nap_pool_quiesce(&other), -EDEADLK);
}

TEST_F(under, it_does_not_wait_for_itself)
{
	struct nap_task task;

	begin(self->idle, _metadata, wait_for_all, &task);
	end(_metadata);
}

static struct nap_worker *ran_on;

static void note_worker(struct nap_task *task)
{
	ran_on = nap_worker_self();
	member_done(task);
}

static void wait_for_task(struct __test_metadata *_metadata)
{
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct member member = { NAP_TASK_INIT(note_worker), &group, &pool, 0 };

	nap_group_add(&group, 1);
	EXPECT_EQ(nap_schedule(&pool, &member.task), 0);
	EXPECT_EQ(nap_group_wait(&group), 0);
	EXPECT_EQ(ran_on, outer);
	EXPECT_EQ(nap_worker_self(), guest);
}

TEST_F(under, it_runs_the_task_of_its_pool_that_it_waits_for)
{
	struct nap_task task;

	begin(self->idle, _metadata, wait_for_task, &task);
	end(_metadata);
}

static void help_own(struct __test_metadata *_metadata)
{
	struct nap_group group = NAP_GROUP_INIT(NULL);
	struct member member = { NAP_TASK_INIT(note_worker), &group, &pool, 0 };

	nap_group_add(&group, 1);
	EXPECT_EQ(nap_schedule(&pool, &member.task), 0);
	EXPECT_EQ(nap_pool_help(&pool, 0), 1);
	EXPECT_EQ(ran_on, outer);
	EXPECT_EQ(nap_worker_self(), guest);
}

TEST_F(under, it_helps_its_pool_as_its_worker)
{
	struct nap_task task;

	begin(self->idle, _metadata, help_own, &task);
	end(_metadata);
}

static struct nap_worker *called_on, *self_there;

static void call_home(struct nap_worker *worker, void *result)
{
	called_on = worker;
	self_there = nap_worker_self();
	*(long *)result = fib(worker, nap_top(worker), 15);
}

static void call_own(struct __test_metadata *_metadata)
{
	long result = 0;

	EXPECT_EQ(nap_call(&pool, call_home, &result), 0);
	EXPECT_EQ(result, FIB_15);
	EXPECT_EQ(called_on, outer);
	EXPECT_EQ(self_there, outer);
	EXPECT_EQ(nap_worker_self(), guest);
	/* The task's own worker can fork without a call, too. */
	EXPECT_EQ(fib(outer, nap_top(outer), 15), FIB_15);
}

TEST_F(under, a_call_of_its_own_pool_is_a_plain_one)
{
	struct nap_task task;

	begin(self->idle, _metadata, call_own, &task);
	end(_metadata);
}

static void schedule_late(struct __test_metadata *_metadata)
{
	static struct nap_task late = NAP_TASK_INIT(count_run);

	wait_at_door();
	EXPECT_EQ(nap_schedule(&pool, &late), 0);
	EXPECT_EQ(nr_run, 0);
}

TEST_F(under, it_schedules_while_its_pool_drains)
{
	struct nap_task task;

	begin(self->idle, _metadata, schedule_late, &task);
	await_at_door(1);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	open_door();
	end(_metadata);
	EXPECT_EQ(nr_run, 1);
}

TEST_HARNESS_MAIN
