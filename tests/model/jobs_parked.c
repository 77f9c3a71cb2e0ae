/* SPDX-License-Identifier: MIT */
/*
 * A worker forks jobs and then runs a task that never ends, while other workers sleep, are awake,
 * or go to sleep. Invariant (work conservation): another worker runs every job, whether the
 * forker had been asked for jobs or not.
 */
#include "forked_setup.h"

#define NR_FORKERS	2
#define NR_JOBS		2

static struct forked forked[NR_FORKERS][NR_JOBS];
static unsigned nr_forkers, nr_forked;

static void fork_and_block(void *index)
{
	struct nap_worker *worker = registry_at(pool, (uint32_t)(uintptr_t)index);

	self_is(nap__self(), worker);
	for (unsigned i = 0; i < nr_forked; i++)
		fork_one(worker, &forked[worker->index][i]);
	block_for_ever();
}

#define FORKER(index) { fork_and_block, (void *)(uintptr_t)(index), "W" #index }

static void pool_with_forkers(unsigned forkers, unsigned jobs, uint32_t limit)
{
	nr_forkers = forkers;
	nr_forked = jobs;
	pool_new(limit, 0);
	/* without yields an execution has a bounded length */
	pool->config.yields = NAP_NO_YIELDS;
	check_name(forked, sizeof(forked), "forked");
	check_name(&pool->forks, sizeof(pool->forks), "pool.forks");
}

/*
 * Adds a worker that forks. @asked: the worker has been asked for jobs, as every worker is at
 * first.
 */
static void add_forker(bool asked)
{
	struct nap_worker *w = pool_add_worker(0);

	w->rest = 2;
	if (!asked)
		pool_ask_nobody(w);
}

static void setup(unsigned jobs, bool sleeps, bool asked)
{
	struct nap_worker *w;

	pool_with_forkers(1, jobs, 2);
	add_forker(asked);
	w = pool_add_worker(0);
	if (sleeps)
		pool_set_idle(w);
}

static void all_ran(void)
{
	for (unsigned i = 0; i < nr_forkers; i++)
		for (unsigned k = 0; k < nr_forked; k++)
			CHECK(forked[i][k].runs == 1);
}

static void asked_parked(void)
{
	setup(1, true, true);
}

static void asked_starting(void)
{
	setup(1, false, true);
}

/*
 * Setup: the forker has not been asked, because no worker sleeps; the second worker is about to
 * sleep.
 */
static void silent_starting(void)
{
	setup(1, false, false);
}

static void silent_two(void)
{
	setup(2, false, false);
}

static void fenced_parked(void)
{
	seam_no_membarrier();
	setup(1, true, true);
}

static void fenced_two(void)
{
	seam_no_membarrier();
	setup(2, false, true);
}

CHECK_SCENARIO(jobs_parked, .about = "the first fork, while the other worker sleeps",
	.setup = asked_parked, .finally = all_ran, .may_block = true,
	.threads = { FORKER(0), PARKED(1) });

CHECK_SCENARIO(jobs_starting, .about = "the first fork, while the other worker goes to sleep",
	.setup = asked_starting, .finally = all_ran, .may_block = true,
	.threads = { FORKER(0), WORKER(1) });

/* A test of [F2] in ordering.rst. */
CHECK_SCENARIO(jobs_silent, .about = "a fork that tells nobody, while the other goes to sleep",
	.setup = silent_starting, .finally = all_ran, .may_block = true,
	.threads = { FORKER(0), WORKER(1) });

CHECK_SCENARIO(jobs_silent_two, .about = "two forks that tell nobody, while the other falls asleep",
	.random = 10000,
	.setup = silent_two, .finally = all_ran, .may_block = true,
	.threads = { FORKER(0), WORKER(1) });

CHECK_SCENARIO(jobs_fenced, .about = "a fork without membarrier, while the other worker sleeps",
	.setup = fenced_parked, .finally = all_ran, .may_block = true,
	.threads = { FORKER(0), PARKED(1) });

CHECK_SCENARIO(jobs_fenced_two, .about = "two forks without membarrier; the other goes to sleep",
	.random = 10000,
	.setup = fenced_two, .finally = all_ran, .may_block = true,
	.threads = { FORKER(0), WORKER(1) });

/* Forks openly, as loops do: the forker asks itself. */
static void fork_openly(struct nap_worker *worker, struct forked *f)
{
	ask_oneself(worker);
	fork_one(worker, f);
	ask_oneself(worker);
}

/* Forks private jobs, and then one job openly, which publishes the private jobs, too. */
static void fork_openly_and_block(void *index)
{
	struct nap_worker *worker = registry_at(pool, (uint32_t)(uintptr_t)index);

	self_is(nap__self(), worker);
	for (unsigned i = 0; i + 1 < nr_forked; i++)
		fork_one(worker, &forked[worker->index][i]);
	fork_openly(worker, &forked[worker->index][nr_forked - 1]);
	block_for_ever();
}

#define OPEN_FORKER(index) { fork_openly_and_block, (void *)(uintptr_t)(index), "W" #index }

CHECK_SCENARIO(jobs_open, .about = "a fork by who asks itself, while the other goes to sleep",
	.setup = silent_starting, .finally = all_ran, .may_block = true,
	.threads = { OPEN_FORKER(0), WORKER(1) });

CHECK_SCENARIO(jobs_open_two, .about = "a silent fork and one by who asks itself, then",
	.random = 10000,
	.setup = silent_two, .finally = all_ran, .may_block = true,
	.threads = { OPEN_FORKER(0), WORKER(1) });

/*
 * Two workers fork private jobs, while two others go to sleep. One of the sleepers asks all workers
 * for jobs, and executes the membarrier; the other sleeper finds that all have been asked. The
 * first sleeper takes one job, and another worker has to take the second job, although no job ends.
 */
static void run_and_block(struct nap_worker *worker, struct nap_frame *top, struct forked *f)
{
	be_run(worker, top, f);
	block_for_ever();
}

NAP_JOB_VOID(run_and_block, struct forked *)

static void fork_blocker(void *index)
{
	struct nap_worker *worker = registry_at(pool, (uint32_t)(uintptr_t)index);
	struct forked *f = &forked[worker->index][0];

	self_is(nap__self(), worker);
	f->in = JOB_IN;
	run_and_block_fork(worker, nap_top(worker), f);
	block_for_ever();
}

static void two_silent(void)
{
	pool_with_forkers(2, 1, 4);
	add_forker(false);
	add_forker(false);
	pool_add_worker(0);
	pool_add_worker(0);
}

#define BLOCKER(index) { fork_blocker, (void *)(uintptr_t)(index), "W" #index }

CHECK_SCENARIO(jobs_two_askers, .about = "two silent forks, while two others go to sleep",
	.random = 100000,
	.setup = two_silent, .finally = all_ran, .may_block = true,
	.threads = { BLOCKER(0), BLOCKER(1), WORKER(2), WORKER(3) });

/*
 * Two sleepers have asked the forker, and the forker notifies for a task. The notification for the
 * forker's first job is merged with the notification for the task, and the forker takes the job
 * back before any worker comes. The worker that comes takes the task, which never ends; so the
 * other worker must run the next job.
 */
static struct job before = JOB_INIT(job_block);

static void tell_and_fork(void *index)
{
	struct nap_worker *worker = registry_at(pool, (uint32_t)(uintptr_t)index);
	struct forked *first = &forked[worker->index][1];

	self_is(nap__self(), worker);
	before.in = JOB_IN;
	CHECK(nap_schedule(pool, &before.task) == 0);
	fork_one(worker, first);
	be_run_join(worker, worker->frames, first);
	fork_blocker(index);
}

static void tell_and_fork_openly(void *index)
{
	struct nap_worker *worker = registry_at(pool, (uint32_t)(uintptr_t)index);
	struct forked *first = &forked[worker->index][1];

	self_is(nap__self(), worker);
	before.in = JOB_IN;
	CHECK(nap_schedule(pool, &before.task) == 0);
	fork_openly(worker, first);
	be_run_join(worker, worker->frames, first);
	fork_openly(worker, &forked[worker->index][0]);
	block_for_ever();
}

static void merged(void)
{
	pool_with_forkers(1, 2, 3);
	add_forker(true);
	pool_set_idle(pool_add_worker(0));
	pool_set_idle(pool_add_worker(0));
}

static void all_began(void)
{
	all_ran();
	CHECK(before.runs == 1);
}

CHECK_SCENARIO(jobs_merged, .about = "a fork whose notification stands for a task as well",
	.random = 20000,
	.setup = merged, .finally = all_began, .may_block = true,
	.threads = { { tell_and_fork, NULL, "W0" }, PARKED(1), PARKED(2) });

CHECK_SCENARIO(jobs_open_merged, .about = "the same by who asks itself",
	.random = 20000,
	.setup = merged, .finally = all_began, .may_block = true,
	.threads = { { tell_and_fork_openly, NULL, "W0" }, PARKED(1), PARKED(2) });

/*
 * A joiner on its way to sleep has asked for jobs, and finds a private job. Another worker on its
 * way to sleep leaves the job to the joiner. But the joiner's latch is set first, and the task to
 * which the joiner returns never ends.
 */
static struct forked joined;

static void join_and_block(void *arg)
{
	struct nap_worker *worker = registry_at(pool, 1);

	(void)arg;
	self_is(nap__self(), worker);
	CHECK(!nap_join(worker, worker->frames));
	CHECK(joined.runs == 1);
	block_for_ever();
}

static void run_stolen(void *arg)
{
	struct nap_worker *worker = registry_at(pool, 2);

	(void)arg;
	self_is(nap__self(), worker);
	nap__run(worker, &worker->stand_in);
	block_for_ever();
}

static void about_to_be_joined(void)
{
	bool more;

	pool_with_forkers(1, 1, 4);
	for (unsigned i = 0; i < 3; i++)
		add_forker(false);
	pool_add_worker(0);
	fork_one(registry_at(pool, 1), &joined);
	deque_publish(&registry_at(pool, 1)->deque, true);
	CHECK(nap__steal_job(registry_at(pool, 2), registry_at(pool, 1), &more));
}

CHECK_SCENARIO(jobs_passed_on, .about = "what a joiner was to take, when its latch comes first",
	.random = MODEL_IDLE == NAP_IDLE_SYNC ? 30000 : 10000,
	.setup = about_to_be_joined, .finally = all_ran, .may_block = true,
	.threads = { FORKER(0), { join_and_block, NULL, "W1" }, { run_stolen, NULL, "W2" },
		     WORKER(3) });
