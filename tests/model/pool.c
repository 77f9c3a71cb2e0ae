/* SPDX-License-Identifier: MIT */
/*
 * Shutdown and join, against a thread that schedules and against workers that start, search and
 * park. Invariants: a schedule is refused, or its task runs once, or (after a stop) join returns
 * the task; join returns. The pool's memory is freed after join, so that a later touch of the pool
 * or its records is found. (A thread that schedules must have returned before the memory is freed.
 * So that thread is joined first.)
 */
#include "pool_setup.h"

static struct job jobs[2] = { JOB_INIT(job_run), JOB_INIT(job_run) };
static struct nap_batch left;

static void free_pool(unsigned first, unsigned last)
{
	for (unsigned t = first; t <= last; t++)
		check_join(t);
	pool_free();
}

/* The joiner is thread 0, a thread that schedules is thread 1, the worker is thread 2. */
static void one_worker(void)
{
	pool_new(1, 2);
}

static void one_parked(void)
{
	one_worker();
	pool_set_idle(pool_add_worker(2));
}

static void one_busy(void)
{
	one_worker();
	pool_add_worker(2);
}

static void schedule(void *job)
{
	int err = job_schedule(job);

	/* A refused task is still the caller's, which may write to it. */
	CHECK(err == 0 || err == -ESHUTDOWN);
	if (err)
		((struct job *)job)->in = 0;
}

static void schedule_join(void *unused)
{
	(void)unused;
	CHECK(job_schedule(&jobs[0]) == 0);
	CHECK(nap_pool_join(pool, &left) == 0);
	CHECK(jobs[0].runs == 1 && left.count == 0);
	pool_free();
}

/* The smallest life of a pool: one task, and one worker that the schedule starts. */
CHECK_SCENARIO(pool_life, .about = "schedule, join, free: the task has run, nobody is left",
	.random = SAMPLE_OTHERS, .setup = one_worker,
	.threads = { { schedule_join, .name = "joiner" } });

CHECK_SCENARIO(pool_life_parked, .about = "the same with a worker that sleeps",
	.setup = one_parked, .random = 10000,
	.threads = { { schedule_join, .name = "joiner" }, [2] = PARKED(0) });

static void join_drain(void *unused)
{
	(void)unused;
	CHECK(nap_pool_join(pool, &left) == 0);
	CHECK(left.count == 0);
	free_pool(1, 1);
	CHECK(jobs[0].runs == (jobs[0].in == JOB_IN));
}

/* An accepted task runs, although the join may find no worker yet. */
CHECK_SCENARIO(pool_drain, .about = "join drains: a schedule meanwhile is refused, or run",
	.setup = one_worker, .random = 10000,
	.threads = { { join_drain, .name = "joiner" }, { schedule, &jobs[0], "scheduler" } });

CHECK_SCENARIO(pool_drain_parked, .about = "the same with a worker that sleeps",
	.setup = one_parked, .random = 10000,
	.threads = { { join_drain, .name = "joiner" }, { schedule, &jobs[0], "scheduler" },
		     PARKED(0) });

CHECK_SCENARIO(pool_drain_busy, .about = "the same with a worker that goes to sleep",
	.setup = one_busy, .random = 10000,
	.threads = { { join_drain, .name = "joiner" }, { schedule, &jobs[0], "scheduler" },
		     WORKER(0) });

static void join_stop(void *unused)
{
	int accepted, returned = 0;

	(void)unused;
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
	CHECK(nap_pool_join(pool, &left) == 0);
	free_pool(1, 1);
	accepted = jobs[0].in == JOB_IN;
	while (nap_batch_pop(&left))
		returned++;
	CHECK(jobs[0].runs + returned == accepted);
}

CHECK_SCENARIO(pool_stop, .about = "stop: a schedule meanwhile is refused, run or returned",
	.random = SAMPLE_OTHERS, .setup = one_worker,
	.threads = { { join_stop, .name = "joiner" }, { schedule, &jobs[0], "scheduler" } });

CHECK_SCENARIO(pool_stop_parked, .about = "the same with a worker that sleeps",
	.setup = one_parked, .random = 10000,
	.threads = { { join_stop, .name = "joiner" }, { schedule, &jobs[0], "scheduler" },
		     PARKED(0) });

CHECK_SCENARIO(pool_stop_busy, .about = "the same with a worker that goes to sleep",
	.setup = one_busy, .random = 10000,
	.threads = { { join_stop, .name = "joiner" }, { schedule, &jobs[0], "scheduler" },
		     WORKER(0) });

/* ---- a pool on which nothing happens, small enough to be explored */

static void end_free(void *stop)
{
	if (stop)
		CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
	CHECK(nap_pool_join(pool, NULL) == 0);
	pool_free();
}

static char yes;

CHECK_SCENARIO(pool_end_parked, .about = "a worker that sleeps is sent home by a stop and joined",
	.random = SAMPLE_OTHERS, .setup = one_parked,
	.threads = { { end_free, &yes, "joiner" }, [2] = PARKED(0) });

CHECK_SCENARIO(pool_end_busy, .about = "the same with a worker that goes to sleep",
	.random = SAMPLE_OTHERS, .setup = one_busy,
	.threads = { { end_free, &yes, "joiner" }, [2] = WORKER(0) });

CHECK_SCENARIO(pool_end_drain, .about = "a drain waits for a worker that goes to sleep",
	.random = SAMPLE_OTHERS, .setup = one_busy,
	.threads = { { end_free, NULL, "joiner" }, [2] = WORKER(0) });

static void workers_left(void)
{
	CHECK(!check_waits(2));
	CHECK(jobs[0].runs <= 1);
}

/*
 * There is no join, so the stop alone has to send the workers home. The scheduling thread may just
 * be starting a worker. If this worker goes idle before the shutdown, the stopper sees it [S4].
 */
CHECK_SCENARIO(pool_stop_ends, .about = "a stop alone sends every worker home",
	.random = SAMPLE_OTHERS, .setup = one_worker, .finally = workers_left,
	.threads = { { pool_stop, .name = "stopper" }, { schedule, &jobs[0], "scheduler" } });

static void schedule_child(struct nap_task *task)
{
	int err;

	job_begin(task);
	err = job_schedule(&jobs[1]);
	CHECK(err == 0);
}

static struct job parent = JOB_INIT(schedule_child);

static void join_family(void *unused)
{
	(void)unused;
	CHECK(job_schedule(&parent) == 0);
	CHECK(nap_pool_join(pool, &left) == 0);
	CHECK(parent.runs == 1 && jobs[1].runs == 1 && left.count == 0);
	pool_free();
}

/* A drain accepts what the pool's own workers schedule. */
CHECK_SCENARIO(pool_drain_child, .about = "a drain runs what tasks schedule",
	.setup = one_worker, .random = 10000,
	.threads = { { join_family, .name = "joiner" } });

static void stop_from_inside(struct nap_task *task)
{
	job_begin(task);
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
}

static struct job stopper = JOB_INIT(stop_from_inside);

static void join_stopped(void *unused)
{
	(void)unused;
	CHECK(job_schedule(&stopper) == 0);
	CHECK(nap_pool_join(pool, &left) == 0);
	CHECK(stopper.runs == 1 && left.count == 0);
	pool_free();
}

CHECK_SCENARIO(pool_stop_inside, .about = "a task stops its own pool while that is joined",
	.random = SAMPLE_OTHERS, .setup = one_worker,
	.threads = { { join_stopped, .name = "joiner" } });
