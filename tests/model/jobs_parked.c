/* SPDX-License-Identifier: MIT */
/*
 * Jobs that a worker forks and then does not get to, since what it runs never ends. Work
 * conservation: another worker runs every one of them, whether it was asleep, awake or on its way
 * to sleep; and whether the forker had been asked for jobs or not.
 */
#include "jobs.h"
#include "pool_setup.h"

#define NR_JOBS 2

static struct forked { struct nap_job job; int in, runs; } forked[NR_JOBS];
static unsigned nr_forked;

static void forked_run(struct nap_worker *worker, struct nap_job *job)
{
	struct forked *f = nap_container_of(job, struct forked, job);

	(void)worker;
	CHECK(f->in == JOB_IN);
	f->runs++;
}

static void fork_and_block(void *arg)
{
	struct nap_worker *worker = registry_at(pool, 0);

	(void)arg;
	nap__self()->worker = worker;
	for (unsigned i = 0; i < nr_forked; i++) {
		forked[i].job.run = forked_run;
		forked[i].in = JOB_IN;
		nap_fork(worker, &forked[i].job);
	}
	for (;;)
		nap__futex_wait(&never, 0, UINT64_MAX);
}

#define FORKER { fork_and_block, NULL, "W0" }

static void setup(unsigned n, bool sleeps, bool asked)
{
	struct nap_worker *w;

	nr_forked = n;
	pool_new(2, 0);
	check_name(forked, sizeof(forked), "forked");
	check_name(&pool->forks, sizeof(pool->forks), "pool.forks");
	w = pool_add_worker(0);
	w->rest = 2;
	if (!asked) {
		pool->forks = FORKS_SPLIT;
		w->deque.forks.limit = deque_full(&w->deque);
		w->deque.forks.split = w->slots;
	}
	w = pool_add_worker(0);
	if (sleeps)
		pool_set_idle(w);
}

static void all_ran(void)
{
	for (unsigned i = 0; i < nr_forked; i++)
		CHECK(forked[i].runs == 1);
}

static void asked_parked(void)
{
	setup(1, true, true);
}

static void asked_starting(void)
{
	setup(1, false, true);
}

/* Not asked: nobody sleeps, and the other one is about to. */
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
	.threads = { FORKER, PARKED(1) });

CHECK_SCENARIO(jobs_starting, .about = "the first fork, while the other worker goes to sleep",
	.setup = asked_starting, .finally = all_ran, .may_block = true,
	.threads = { FORKER, WORKER(1) });

/* Shows [F2]. */
CHECK_SCENARIO(jobs_silent, .about = "a fork that tells nobody, while the other goes to sleep",
	.setup = silent_starting, .finally = all_ran, .may_block = true,
	.threads = { FORKER, WORKER(1) });

CHECK_SCENARIO(jobs_silent_two, .about = "two forks that tell nobody, while the other goes to sleep",
	.random = 10000,
	.setup = silent_two, .finally = all_ran, .may_block = true,
	.threads = { FORKER, WORKER(1) });

CHECK_SCENARIO(jobs_fenced, .about = "a fork without membarrier, while the other worker sleeps",
	.setup = fenced_parked, .finally = all_ran, .may_block = true,
	.threads = { FORKER, PARKED(1) });

CHECK_SCENARIO(jobs_fenced_two, .about = "two forks without membarrier, while the other goes to sleep",
	.random = 10000,
	.setup = fenced_two, .finally = all_ran, .may_block = true,
	.threads = { FORKER, WORKER(1) });
