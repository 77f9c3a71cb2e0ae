/* SPDX-License-Identifier: MIT */
/*
 * Wait groups with waiters that are workers: a waiting worker runs other tasks, or parks as an
 * idle worker, and both new work and the group's end wake it. Invariants: all tasks are run, and
 * the pool is quiet at the end; the waiter may free the group after the wait.
 */
#include "pool_setup.h"

static struct nap_group *open_group;	/* set before the task that reads it is scheduled */

static void run_done(struct nap_task *task)
{
	struct nap_group *group = open_group;

	job_begin(task);
	CHECK(nap_group_done(group) == 0);
}

static struct job child = JOB_INIT(run_done);

static void run_and_wait(struct nap_task *task)
{
	struct nap_group *group = check_alloc(sizeof(*group));

	job_begin(task);
	nap_group_init(group, pool);
	CHECK(nap_group_add(group, 1) == 0);
	open_group = group;
	CHECK(job_schedule(&child) == 0);
	CHECK(nap_group_wait(group) == 0);
	check_free(group);
	CHECK(child.runs == 1);
}

static struct job parent = JOB_INIT(run_and_wait);

/* Setup: worker n is thread n; worker 0 has been signaled for the queued task. */
static void one_worker(void)
{
	pool_new(1, 0);
	pool_add_worker(0);
	pool_signal(registry_at(pool, 0));
	job_queue(&parent);
}

static void flat(void)
{
	pool_new(2, 0);
	pool_add_worker(0);
	pool_set_idle(pool_add_worker(0));
	pool_signal(registry_at(pool, 0));
	job_queue(&parent);
	seam_flat();
}

static void two_workers(void)
{
	pool_new(2, 0);
	pool_add_worker(0);
	pool_set_idle(pool_add_worker(0));
	pool_signal(registry_at(pool, 0));
	job_queue(&parent);
}

static void both_ran(void)
{
	CHECK(parent.runs == 1 && child.runs == 1);
	CHECK(nap__idle_quiet(pool));
}

CHECK_SCENARIO(group_worker_alone, .about = "a worker that waits runs what it waits for",
	.setup = one_worker, .finally = both_ran, .may_block = true, .threads = { WORKER(0) });

/* The child is run inside the parent's wait, or stolen while the parent's worker parks. */
CHECK_SCENARIO(group_worker_stolen, .about = "what a worker waits for is run by it or by a thief",
	.setup = two_workers, .finally = both_ran, .may_block = true, .random = 10000,
	.threads = { WORKER(0), PARKED(1) });

/*
 * The parent's worker may not nest: it sleeps without being counted as idle, and the other worker
 * must run the child.
 */
CHECK_SCENARIO(group_worker_flat, .about = "a worker that may not nest waits for the others",
	.setup = flat, .finally = both_ran, .may_block = true, .random = 10000,
	.threads = { WORKER(0), PARKED(1) });

/* ---- the group is done from outside, while a task is injected */

static struct nap_group shared;
static struct job extra = JOB_INIT(job_run);
static int data;

static void wait_shared(struct nap_task *task)
{
	job_begin(task);
	CHECK(nap_group_wait(&shared) == 0);
	CHECK(data == 1);
}

static struct job waiting = JOB_INIT(wait_shared);

static void in_task(void)
{
	pool_new(1, 0);
	pool_add_worker(0);
	pool_signal(registry_at(pool, 0));
	job_queue(&waiting);
	nap_group_init(&shared, pool);
	CHECK(nap_group_add(&shared, 1) == 0);
	check_name(&shared, sizeof(shared), "group");
}

static void done(void *unused)
{
	(void)unused;
	data = 1;
	CHECK(nap_group_done(&shared) == 0);
}

static void inject(void *unused)
{
	(void)unused;
	job_inject(&extra);
}

static void all_ran(void)
{
	CHECK(waiting.runs == 1 && extra.runs == 1);
	CHECK(nap__idle_quiet(pool));
}

/*
 * EVENT_WORK and EVENT_LATCH are set in the same word; the task is run inside the wait or after
 * it.
 */
CHECK_SCENARIO(group_worker_called, .about = "a worker that waits is called by work and by the end",
	.setup = in_task, .finally = all_ran, .may_block = true, .random = 10000,
	.threads = { WORKER(0), { done, .name = "doer" }, { inject, .name = "producer" } });
