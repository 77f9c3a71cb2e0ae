/* SPDX-License-Identifier: MIT */
/*
 * A worker_start function that takes long, under each idle protocol. Invariants: the function
 * delays no other start or wake, whatever the new worker was started for; a waiter for the pool
 * waits for the function, too.
 */
#include "pool_setup.h"

static uint32_t ran;		/* jobs that have run; worker_start waits for them */
static uint32_t wanted;		/* how many jobs the first worker's worker_start waits for */
/* written by each worker, and read by the thread that waits for them; not atomic */
static int starts[2], stops[2];

static void run_and_tell(struct nap_task *task)
{
	job_begin(task);
	nap_fetch_add_release(&ran, 1);	/* on_start() waits for this */
	nap__futex_wake(&ran, 2);
}

static struct job jobs[2] = { JOB_INIT(run_and_tell), JOB_INIT(run_and_tell) };

/* Returns on the first worker when other workers have run what is queued. */
static void on_start(struct nap_worker *worker, void *arg)
{
	uint32_t n;

	(void)arg;
	CHECK(nap_worker_self() == worker);
	while (worker->index == 0 && (n = nap_load_acquire(&ran)) < wanted)
		nap__futex_wait(&ran, n, UINT64_MAX);
	starts[worker->index]++;
}

static void on_stop(struct nap_worker *worker, void *arg)
{
	(void)arg;
	stops[worker->index]++;
}

static void slow_pool(uint32_t limit, unsigned first_worker, uint32_t jobs_before)
{
	wanted = jobs_before;
	pool_new(limit, first_worker);
	pool->config.yields = NAP_NO_YIELDS;
	pool->config.worker_start = on_start;
	pool->config.worker_stop = on_stop;
}

/* ---- other workers run what is queued, for which the first worker waits */

static void two_workers(void)
{
	slow_pool(2, 1, 1);
}

static void one_ran(void)
{
	CHECK(jobs[0].runs == 1);
}

CHECK_SCENARIO(slow_start, .about = "a worker_start waits for the task that it was started for",
	.random = SAMPLE_OTHERS, .setup = two_workers, .finally = one_ran, .may_block = true,
	.threads = { { pool_inject, &jobs[0], "producer" } });

static void two_producers(void)
{
	slow_pool(2, 2, 2);
}

static void both_ran(void)
{
	CHECK(jobs[0].runs == 1 && jobs[1].runs == 1);
}

CHECK_SCENARIO(slow_start_trusted, .about = "a second producer trusts in the one that is started",
	.random = 10000, .setup = two_producers, .finally = both_ran, .may_block = true,
	.threads = { { pool_inject, &jobs[0], "producer1" },
		     { pool_inject, &jobs[1], "producer2" } });

/* Setup: the other worker is idle, and need not be started. */
static void other_idle(void)
{
	slow_pool(2, 1, 1);
	pool_set_idle(pool_add_worker(1));
	wanted = 0;
}

static void prewarm_and_inject(void *unused)
{
	(void)unused;
	CHECK(nap_pool_prewarm(pool, 2) == 0);
	CHECK(job_schedule(&jobs[0]) == 0);
	CHECK(nap_pool_quiesce(pool) == 0);
	CHECK(jobs[0].runs == 1 && starts[1] == 1);
}

CHECK_SCENARIO(start_and_quiesce, .about = "a pool is not at rest while a worker begins",
	.random = 10000, .setup = other_idle, .finally = one_ran, .may_block = true,
	.threads = { { prewarm_and_inject, .name = "waiter" }, PARKED(0) });

/* ---- a pool that ends at the same time: starts and stops pair */

static void one_worker(void)
{
	slow_pool(1, 1, 0);
}

static void prewarm_and_join(void *unused)
{
	(void)unused;
	CHECK(nap_pool_prewarm(pool, 1) == 0);
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
	CHECK(nap_pool_join(pool, NULL) == 0);
	CHECK(starts[0] == 1 && stops[0] == 1);
	pool_free();
}

CHECK_SCENARIO(start_and_stop, .about = "a worker that begins in a pool that is stopped",
	.random = SAMPLE_OTHERS, .setup = one_worker,
	.threads = { { prewarm_and_join, .name = "joiner" } });

/* ---- the worker to which the first worker passes its signal cannot be started */

static void one_begins(void)
{
	slow_pool(2, 0, 0);
	pool_signal(pool_add_worker(0));
	job_queue(&jobs[0]);
}

CHECK_SCENARIO(start_then_fails, .about = "a worker that begins fails to start another",
	.random = 10000, .setup = one_begins, .finally = one_ran, .spawn_failures = 1,
	.may_block = true, .threads = { WORKER(0) });
