/* SPDX-License-Identifier: MIT */
/*
 * A thread that waits for a pool makes sure that the tasks run when the workers cannot run them:
 * it tries a failed start again, and where all workers are at the nesting limit
 * (src/wait/deadlock.h) it runs the task itself.
 */
#include "wait/deadlock.h"
#include "pool_setup.h"

struct member { struct job job; struct nap_group group; };

static struct member first = { .job = JOB_INIT(NULL) }, second = { .job = JOB_INIT(NULL) };

static void member_run(struct nap_task *task)
{
	struct job *job = job_begin(task);

	CHECK(nap_worker_pool(nap_worker_self()) == pool);
	nap_group_done(&nap_container_of(job, struct member, job)->group);
}

static void member_schedule(struct member *m, nap_task_fn run)
{
	nap_task_init(&m->job.task, run);
	nap_group_init(&m->group, pool);
	nap_group_add(&m->group, 1);
	CHECK(job_schedule(&m->job) == 0);
}

static void both_named(void)
{
	check_name(&first, sizeof(first), "first");
	check_name(&second, sizeof(second), "second");
}

/* Setup: worker 0 is inside a task that never ends. */
static void one_blocked(void)
{
	pool_new(2, 2);
	pool_add_worker(2);
	both_named();
}

static void schedule_and_wait(void *unused)
{
	(void)unused;
	member_schedule(&first, member_run);
	CHECK(nap_group_wait(&first.group) == 0);
	CHECK(first.job.runs == 1);
}

static void first_ran(void)
{
	CHECK(first.job.runs == 1 && !check_waits(0));
}

CHECK_SCENARIO(retry_group, .about = "a start that failed beside a blocked worker is tried again",
	.random = SAMPLE_OTHERS,
	.setup = one_blocked, .finally = first_ran, .spawn_failures = 1, .may_block = true,
	.threads = { { schedule_and_wait, NULL, "waiter" } });

/* ---- at the nesting limit */

static void wait_inside(struct nap_task *task)
{
	member_schedule(&second, member_run);
	CHECK(nap_group_wait(&second.group) == 0);
	CHECK(second.job.runs == 1);
	member_run(task);
}

/* Setup: the only worker that there may be is about to take a task that waits for another task. */
static void one_deep(void)
{
	pool_new(1, 2);
	seam_flat();
	pool_signal(pool_add_worker(2));
	both_named();
	nap_task_init(&first.job.task, wait_inside);
	nap_group_init(&first.group, pool);
	nap_group_add(&first.group, 1);
	job_queue(&first.job);
}

static void wait_outside(void *unused)
{
	(void)unused;
	CHECK(nap_group_wait(&first.group) == 0);
	CHECK(first.job.runs == 1 && second.job.runs == 1);
}

static void both_ran(void)
{
	CHECK(first.job.runs == 1 && second.job.runs == 1 && !check_waits(0));
	CHECK(nap_load_relaxed(&pool->at_nest_limit) == 0 && guests_inside(pool) == 0);
}

CHECK_SCENARIO(retry_deep, .about = "who waits outside runs what a deep wait is for",
	.random = 3000,
	.setup = one_deep, .finally = both_ran, .may_block = true,
	.threads = { { wait_outside, NULL, "waiter" }, [2] = WORKER(0) });

/* Setup: the worker that will be at the nesting limit has a task in its ring, and never runs it. */
static void one_about_to_be_deep(void)
{
	struct nap_task *task = &first.job.task;

	pool_new(1, 2);
	nap_task_init(task, member_run);
	nap_group_init(&first.group, pool);
	nap_group_add(&first.group, 1);
	first.job.in = JOB_IN;
	ring_push(&pool_add_worker(2)->ring, &task, task);
	both_named();
}

static void be_deep(void *unused)
{
	(void)unused;
	nap__nest_limit_begin(registry_at(pool, 0), false);
	block_for_ever();
}

static void wait_for_first(void *unused)
{
	(void)unused;
	CHECK(nap_group_wait(&first.group) == 0);
	CHECK(first.job.runs == 1);
}

CHECK_SCENARIO(retry_told, .about = "who waits outside is told when the last worker becomes deep",
	.setup = one_about_to_be_deep, .finally = first_ran, .may_block = true,
	.threads = { { wait_for_first, NULL, "waiter" }, { be_deep, NULL, "W0" } });
