/* SPDX-License-Identifier: MIT */
/*
 * The end of a pool (src/life/pool_end.c, pool_join.c), against threads that are inside the pool: a
 * worker that starts another worker, a second joiner, waiters and helpers from outside. Invariants:
 * every thread of the pool is joined; each task is run or returned, once; no thread touches the
 * pool after it was freed.
 */
#include "pool_setup.h"

static struct job jobs[2] = { JOB_INIT(job_run), JOB_INIT(job_run) };
static struct nap_group group;

/*
 * Setup: worker 0 is thread 1, and signaled; for the second task it will start worker 1, thread
 * 2.
 */
static void starting_another(void)
{
	pool_new(2, 1);
	pool_add_worker(1);
	pool_signal(registry_at(pool, 0));
	job_queue(&jobs[0]);
	job_queue(&jobs[1]);
}

static void stop_join(void *unused)
{
	struct nap_batch left;

	(void)unused;
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
	CHECK(nap_pool_join(pool, &left) == 0);
	CHECK((unsigned)(jobs[0].runs + jobs[1].runs) + left.count == 2);
	pool_free();
}

/*
 * The joiner needs the handle of worker 1, which worker 0 has just been given [J1]; no thread is
 * forgotten.
 */
CHECK_SCENARIO(join_starting, .about = "join while a worker is starting another: both are joined",
	.setup = starting_another, .random = 10000,
	.threads = { { stop_join, .name = "joiner" }, WORKER(0) });

static void drain_join(void *unused)
{
	(void)unused;
	CHECK(nap_pool_join(pool, NULL) == 0);
	CHECK(jobs[0].runs == 1 && jobs[1].runs == 1);
	pool_free();
}

CHECK_SCENARIO(join_starting_drain, .about = "the same in a drain: the tasks have been run",
	.setup = starting_another, .random = 10000,
	.threads = { { drain_join, .name = "joiner" }, WORKER(0) });

/* ---- two joiners; there is no worker, and a stop has left one task */

static int ended[2];
static size_t returned[2];

static void stopped(void)
{
	pool_new(1, 2);
	job_queue(&jobs[0]);
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
}

static void join(void *which)
{
	unsigned i = (unsigned)(uintptr_t)which;
	struct nap_batch left;
	int err = nap_pool_join(pool, &left);

	CHECK(err == 0 || err == -EALREADY);
	ended[i] = err == 0;
	returned[i] = left.count;
}

static void one_ended(void)
{
	CHECK(ended[0] + ended[1] == 1);
	CHECK(returned[0] + returned[1] == 1);
}

/* The later joiner sees the end, and gets the tasks that the other joiner did not take [J2]. */
CHECK_SCENARIO(join_two, .about = "two joiners: one ends the pool, what was left is returned once",
	.setup = stopped, .finally = one_ended,
	.threads = { { join, (void *)0, "joiner1" }, { join, (void *)1, "joiner2" } });

/* Joins without asking for the tasks that are left. */
static void join_leave(void *unused)
{
	(void)unused;
	ended[1] = nap_pool_join(pool, NULL) == 0;
}

CHECK_SCENARIO(join_two_leave, .about = "what one joiner leaves, the other gets, or it stays",
	.setup = stopped,
	.threads = { { join, (void *)0, "joiner1" }, { join_leave, .name = "joiner2" } });

/* ---- visitors */

static void group_open(void)
{
	pool_new(1, 2);
	nap_group_init(&group, pool);
	CHECK(nap_group_add(&group, 1) == 0);
	check_name(&group, sizeof(group), "group");
}

static void wait_group(void *unused)
{
	(void)unused;
	CHECK(nap_group_wait(&group) == 0);
}

static void join_then_done(void *unused)
{
	(void)unused;
	CHECK(nap_pool_join(pool, NULL) == 0);
	CHECK(nap_group_done(&group) == 0);
	check_join(0);
	pool_free();
}

/*
 * A wait for a group may outlast the pool. The joiner does not wait until the group is done, but
 * ends the wait for it [Q1].
 */
CHECK_SCENARIO(join_waiter, .about = "a group's waiter does not keep the pool from its end",
	.random = SAMPLE_OTHERS, .setup = group_open,
	.threads = { { wait_group, .name = "waiter" }, { join_then_done, .name = "joiner" } });

static void quiesce(void *unused)
{
	(void)unused;
	CHECK(nap_pool_quiesce(pool) == 0);
}

static uint32_t call_is_over;

static void task_queued(void)
{
	pool_new(1, 2);
	job_queue(&jobs[0]);
	call_is_over = 0;
}

static void join_free(void *unused)
{
	(void)unused;
	CHECK(nap_pool_join(pool, NULL) == 0);
	CHECK(jobs[0].runs == 1);
	check_join(0);
	pool_free();
}

CHECK_SCENARIO(join_quiesce, .about = "join against a thread that waits for quiet",
	.setup = task_queued, .random = 10000,
	.threads = { { quiesce, .name = "waiter" }, { join_free, .name = "joiner" } });

/* Learns of the end while it is inside the pool, and touches nothing of the pool after that. */
static void quiesce_or_stopped(void *unused)
{
	int err = nap_pool_quiesce(pool);

	(void)unused;
	CHECK(err == 0 || err == -ECANCELED);
	nap_store_release(&call_is_over, 1);
}

static void stop_free(void *unused)
{
	struct nap_batch left;

	(void)unused;
	pool_await_call(&call_is_over);
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
	CHECK(nap_pool_join(pool, &left) == 0);
	CHECK(jobs[0].runs + left.count == 1);
	pool_free();
}

CHECK_SCENARIO(join_quiesce_freed,
	.about = "a stop and a join, and the pool's memory goes, "
		 "against a thread that waits for quiet",
	.setup = task_queued, .random = 10000,
	.threads = { { quiesce_or_stopped, .name = "waiter" }, { stop_free, .name = "joiner" } });

static void help(void *unused)
{
	long n = nap_pool_help(pool, 0);

	(void)unused;
	CHECK(n == 0 || n == 1 || n == -ESHUTDOWN);
}

CHECK_SCENARIO(join_help, .about = "join against a thread that helps: the task is run once",
	.setup = task_queued, .random = 10000,
	.threads = { { help, .name = "helper" }, { join_free, .name = "joiner" } });
