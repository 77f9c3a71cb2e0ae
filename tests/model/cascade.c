/* SPDX-License-Identifier: MIT */
/*
 * Several tasks are queued, one worker is awake, and the other workers sleep. The worker that finds
 * the first task notifies other workers of the tasks after it, and only then runs the first task,
 * because that task may never end. Invariant (work conservation): every task is begun.
 */
#include "pool_setup.h"

#define JOBS 3

static struct job jobs[JOBS] = { JOB_INIT(job_block), JOB_INIT(job_block), JOB_INIT(job_run) };

static void inject_rest(void *unused)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	(void)unused;
	for (unsigned i = 1; i < JOBS; i++) {
		jobs[i].in = JOB_IN;
		nap_batch_push(&batch, &jobs[i].task);
	}
	inject_push(&pool->inject, batch.head, batch.tail);
	nap__idle_notify_many(pool, JOBS - 1, false);
}

/* Setup: worker n is thread n; worker 0 was woken for the @queued tasks, the others sleep. */
static void workers(unsigned n, unsigned queued)
{
	pool_new(n, 0);
	/* without yields an execution has a bounded length */
	pool->config.yields = NAP_NO_YIELDS;
	pool_add_worker(0);
	for (unsigned i = 1; i < n; i++)
		pool_set_idle(pool_add_worker(0));
	pool_signal(registry_at(pool, 0));
	for (unsigned i = 0; i < queued; i++)
		job_queue(&jobs[i]);
}

static void two(void)
{
	workers(2, 2);
}

static void three(void)
{
	workers(3, JOBS);
}

static void three_and_producer(void)
{
	workers(3, 1);
}

static void all_begun(void)
{
	for (unsigned i = 0; i < JOBS; i++)
		CHECK(jobs[i].runs == (jobs[i].in == JOB_IN));
}

CHECK_SCENARIO(cascade_2, .about = "a task that never ends, and one behind it; one other sleeps",
	.random = SAMPLE_OTHERS, .setup = two, .finally = all_begun, .may_block = true,
	.threads = { WORKER(0), PARKED(1) });

CHECK_SCENARIO(cascade_3, .about = "two tasks that never end, one behind them; two others sleep",
	.random = 10000, .setup = three, .finally = all_begun, .may_block = true,
	.threads = { WORKER(0), PARKED(1), PARKED(2) });

CHECK_SCENARIO(cascade_batch, .about = "a batch of two while one is looking, and two others sleep",
	.random = 10000, .setup = three_and_producer, .finally = all_begun, .may_block = true,
	.threads = { WORKER(0), PARKED(1), PARKED(2), { inject_rest, .name = "producer" } });
