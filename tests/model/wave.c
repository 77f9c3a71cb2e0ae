/* SPDX-License-Identifier: MIT */
/*
 * Waves (src/idle/wave.h): workers are called. A call is not a notification: it takes a worker out
 * of the idle set while notifiers count on the worker. Invariants, as in sync.c: work conservation,
 * and at the end every worker is counted as idle and is in the set, and the word says that all is
 * quiet.
 *
 * The pool is wide, and one task is enough for a call: NAP_WAVE_TASKS is 1 here.
 */
#include "idle/wave.h"

#include "pool_setup.h"

#define JOBS 3

static struct job jobs[JOBS] = { JOB_INIT(job_run), JOB_INIT(job_run), JOB_INIT(job_run) };

/* A thread that has found many tasks, which other threads have taken since. */
static void caller(void *tasks)
{
	wave(pool, (uintptr_t)tasks);
}

/* Schedules two tasks by one call, which calls a worker, too. */
static void inject_two(void *two)
{
	struct job *job = two;

	job_queue(&job[0]);
	job_queue(&job[1]);
	wave(pool, 2);
	nap__idle_notify_many(pool, 2, true);
}

/* Workers are threads 0 and 1. */
static void wide(uint32_t limit)
{
	pool_new(limit, 0);
	pool->cpus = WIDE_CPUS;
}

static void one_busy(void)
{
	wide(1);
	pool_add_worker(0);
}

static void one_parked(void)
{
	wide(1);
	pool_set_idle(pool_add_worker(0));
}

static void two_parked(void)
{
	wide(2);
	pool_set_idle(pool_add_worker(0));
	pool_set_idle(pool_add_worker(0));
}

/* Setup: the worker has run a stolen task, so it searches on before it falls idle. */
static void one_searches_on(void)
{
	one_busy();
	registry_at(pool, 0)->stole = STOLE_TASKS;
}

static void all_ran(void)
{
	for (unsigned i = 0; i < JOBS; i++)
		CHECK(jobs[i].runs == (jobs[i].in == JOB_IN));
	CHECK(nap__idle_quiet(pool));
	CHECK(nap__idle_count(pool) == nap__idle_spawned(pool));
	for (struct nap_worker *w = registry_first(pool); w; w = w->next) {
		CHECK(check_waits(w->index));
		CHECK(pool_sleeps(w));
	}
}

/* Setup: only one of two workers was started. Workers are threads 2 and 3. */
static void one_of_two(void)
{
	pool_new(2, 2);
	pool->cpus = WIDE_CPUS;
	pool_set_idle(pool_add_worker(2));
	nap_task_init(&jobs[0].task, job_block);
}

static void inject_each(void *two)
{
	struct job *job = two;

	job_inject(&job[0]);
	job_inject(&job[1]);
}

static void both_began(void)
{
	CHECK(jobs[0].runs == 1 && jobs[1].runs == 1);
}

static void all_left(void)
{
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		CHECK(!check_waits(w->index));
}

/* The called worker searches once, and parks again. */
CHECK_SCENARIO(wave_call, .about = "a parked worker is called for nothing",
	.setup = one_parked, .finally = all_ran, .may_block = true,
	.threads = { PARKED(0), { caller, (void *)1, "caller" } });

/* The call has popped the only worker, for which the notifier signals [S3]. */
CHECK_SCENARIO(wave_call_notify, .about = "a call and a notification for the only worker",
	.setup = one_parked, .finally = all_ran, .may_block = true, .random = 10000,
	.threads = { PARKED(0), { caller, (void *)1, "caller" },
		     { pool_inject, &jobs[0], "producer" } });

CHECK_SCENARIO(wave_falling_asleep,
	.about = "a call and a notification against one that goes to sleep",
	.setup = one_busy, .finally = all_ran, .may_block = true, .random = 10000,
	.threads = { WORKER(0), { caller, (void *)1, "caller" },
		     { pool_inject, &jobs[0], "producer" } });

CHECK_SCENARIO(wave_call_two, .about = "a call and a notification, two parked workers",
	.setup = two_parked, .finally = all_ran, .may_block = true, .random = 10000,
	.threads = { PARKED(0), PARKED(1), { caller, (void *)1, "caller" },
		     { pool_inject, &jobs[0], "producer" } });

/* The worker that takes both tasks calls the other one. */
CHECK_SCENARIO(wave_batch, .about = "two tasks by one call, two parked workers",
	.setup = two_parked, .finally = all_ran, .may_block = true, .random = 10000,
	.threads = { PARKED(0), PARKED(1), { inject_two, &jobs[0], "producer" } });

CHECK_SCENARIO(wave_two_producers, .about = "a call and two notifications for the only worker",
	.setup = one_parked, .finally = all_ran, .may_block = true, .random = 10000,
	.threads = { PARKED(0), { caller, (void *)1, "caller" },
		     { pool_inject, &jobs[0], "producer1" },
		     { pool_inject, &jobs[1], "producer2" } });

CHECK_SCENARIO(wave_stop, .about = "a call while the pool stops: the called worker leaves",
	.setup = one_parked, .finally = all_left,
	.threads = { PARKED(0), { caller, (void *)1, "caller" }, { pool_stop, NULL, "stop" } });

CHECK_SCENARIO(wave_search_on, .about = "a worker searches on, while a task comes",
	.setup = one_searches_on, .finally = all_ran, .may_block = true,
	.threads = { WORKER(0), { pool_inject, &jobs[0], "producer" } });

/* The called worker takes a signal that found no worker, or no other worker is started [S3]. */
CHECK_SCENARIO(wave_call_start, .about = "a call, and two tasks, of which the first never ends",
	.setup = one_of_two, .finally = both_began, .may_block = true, .random = 10000,
	.threads = { { caller, (void *)1, "caller" }, { inject_each, &jobs[0], "producer" },
		     PARKED(0) });
