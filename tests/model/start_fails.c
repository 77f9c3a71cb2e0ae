/* SPDX-License-Identifier: MIT */
/*
 * A start that fails while there are workers, under each idle protocol. Invariant: if a producer
 * has relied on the worker to be started, one of the other workers runs the producer's task, even
 * if all of these workers have gone to sleep by then.
 */
#include "pool_setup.h"

static struct job jobs[2] = { JOB_INIT(job_run), JOB_INIT(job_run) };

static void both_ran(void)
{
	CHECK(jobs[0].runs == 1 && jobs[1].runs == 1);
}

/* Setup: worker 0 is there and searches; a second worker may be started, or not. */
static void one_of_two(void)
{
	pool_new(2, 2);
	pool->config.yields = NAP_NO_YIELDS;
	pool_add_worker(2);
}

/*
 * Setup: a start has been counted, and fails in fail(). A producer of the scenario relies on the
 * start. Worker 0 could find the producer's task by itself, but is about to sleep.
 */
static void one_starting(void)
{
	one_of_two();
	pool_count_starting(registry_at(pool, 0));
}

static void fail(void *unused)
{
	(void)unused;
	nap__idle_spawn_failed(pool);
}

static bool find(struct nap_worker *worker)
{
	struct nap_task *task = nap__dequeue(worker);

	if (task)
		nap__run(worker, task);
	return task;
}

/* Does a worker's steps until the worker has found a task; then the thread ends. */
static void search_once(void *unused)
{
	struct nap_worker *worker = registry_at(pool, 0);
	uint32_t reasons = 0;

	(void)unused;
	self_is(nap__self(), worker);
	do {
		if (nap__park(worker, UINT64_MAX, &reasons) != NAP_SEARCH)
			return;
	} while (!find(worker));
}

static void first_ran(void)
{
	CHECK(jobs[0].runs == 1);
}

CHECK_SCENARIO(start_trusted, .about = "a producer trusts in a start that fails",
	.random = 20000,
	.setup = one_starting, .finally = first_ran, .may_block = true,
	.threads = { { pool_inject, &jobs[0], "producer" }, { fail, NULL, "starter" },
		     [2] = { search_once, NULL, "W0" } });

/*
 * Worker 0 takes one step into the idle set, and checks the queues once: it finds the task, or is
 * woken. [C1]
 */
static bool slept;

static void fall_asleep(void *unused)
{
	struct nap_worker *worker = registry_at(pool, 0);

	(void)unused;
	self_is(nap__self(), worker);
	nap__idle_prepare(worker);
	slept = worker->in_idle_set && !find(worker);
}

static void found_or_woken(void)
{
	CHECK(!slept || registry_at(pool, 0)->event & EVENT_WORK);
}

static void one_awake(void)
{
	one_starting();
	nap_store_relaxed(&pool->limit, 1);
	slept = false;
}

CHECK_SCENARIO(start_trusted_alone, .about = "the same, no other is started, and all is done once",
	.setup = one_awake, .finally = found_or_woken,
	.threads = { { pool_inject, &jobs[0], "producer" }, { fail, NULL, "starter" },
		     [2] = { fall_asleep, NULL, "W0" } });

CHECK_SCENARIO(start_fails, .about = "a start fails, while the other worker goes to sleep",
	.random = 5000, .setup = one_of_two, .finally = both_ran,
	.spawn_failures = 1, .may_block = true,
	.threads = { { pool_inject, &jobs[0], "producer1" }, { pool_inject, &jobs[1], "producer2" },
		     [2] = WORKER(0) });
