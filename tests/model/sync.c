/* SPDX-License-Identifier: MIT */
/*
 * The Sync protocol from outside (src/idle/sync.c, spawn.c, loop.c and the queues as they are
 * shipped): producers publish and notify; workers are started on demand, and park.
 *
 * Invariant (work conservation), judged when no thread can go on: every task has run once, so no
 * worker is parked while a task that it could take exists; and the word says that all is quiet. A
 * task's payload is not atomic: a second run of the task would be a race.
 *
 * Producers call what nap_schedule() calls inside the gate, to keep the scenarios small;
 * sync_schedule has the gate, too.
 */
#include "pool_setup.h"

#define JOBS 3

static struct job jobs[JOBS] = { JOB_INIT(job_run), JOB_INIT(job_run), JOB_INIT(job_run) };

static void inject_two(void *two)
{
	struct job *job = two;

	job_inject(&job[0]);
	job_inject(&job[1]);
}

static void schedule(void *job)
{
	CHECK(job_schedule(job) == 0);
}

/* Producers are threads 0 .. 2, workers come after these. */
static void one_worker(void)
{
	pool_new(1, 3);
}

static void two_workers(void)
{
	pool_new(2, 3);
}

static void all_ran(void)
{
	for (unsigned i = 0; i < JOBS; i++)
		CHECK(jobs[i].runs == (jobs[i].in == JOB_IN));
	CHECK(nap__idle_quiet(pool));
	for (struct nap_worker *w = registry_first(pool); w; w = w->next) {
		CHECK(check_waits(3 + w->index));
		CHECK(pool_sleeps(w));
	}
}

/* The smallest scenario: the start of a worker is a notification, which the worker answers. */
CHECK_SCENARIO(sync_1_producer, .about = "a task from outside starts a worker, which runs it",
	.random = SAMPLE_OTHERS, .setup = one_worker, .finally = all_ran, .may_block = true,
	.threads = { { pool_inject, &jobs[0], "producer" } });

CHECK_SCENARIO(sync_2_producers, .about = "two producers, one worker: every task is run",
	.random = SAMPLE_OTHERS, .setup = one_worker, .finally = all_ran, .may_block = true,
	.threads = { { pool_inject, &jobs[0], "producer1" },
		     { pool_inject, &jobs[1], "producer2" } });

/* A notification for the second task comes while the first notification is consumed [S1] [S3]. */
CHECK_SCENARIO(sync_1_producer_twice, .about = "one producer, two tasks: no notification is lost",
	.random = SAMPLE_OTHERS, .setup = one_worker, .finally = all_ran, .may_block = true,
	.threads = { { inject_two, &jobs[0], "producer" } });

CHECK_SCENARIO(sync_3_producers, .about = "three producers, one worker: every task is run",
	.setup = one_worker, .finally = all_ran, .may_block = true, .random = 10000,
	.threads = { { pool_inject, &jobs[0], "producer1" }, { pool_inject, &jobs[1], "producer2" },
		     { pool_inject, &jobs[2], "producer3" } });

/* The first worker starts the second, or wakes it. */
CHECK_SCENARIO(sync_1_producer_2_workers, .about = "the waking worker hands on by starting another",
	.random = SAMPLE_OTHERS, .setup = two_workers, .finally = all_ran, .may_block = true,
	.threads = { { pool_inject, &jobs[0], "producer" } });

CHECK_SCENARIO(sync_3_producers_2_workers, .about = "three producers, two workers",
	.setup = two_workers, .finally = all_ran, .may_block = true, .random = 10000,
	.threads = { { pool_inject, &jobs[0], "producer1" }, { pool_inject, &jobs[1], "producer2" },
		     { pool_inject, &jobs[2], "producer3" } });

CHECK_SCENARIO(sync_schedule, .about = "nap_schedule() from two threads, one worker",
	.random = SAMPLE_OTHERS, .setup = one_worker, .finally = all_ran, .may_block = true,
	.threads = { { schedule, &jobs[0], "producer1" }, { schedule, &jobs[1], "producer2" } });
