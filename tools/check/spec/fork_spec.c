/* SPDX-License-Identifier: MIT */
/*
 * nap/fork.h. A job is a run that its join may take back before it has begun; then the joining
 * thread does the work itself. A join of a job that has begun waits for its end, and lets other
 * runs begin on its worker.
 *
 * The calls are inline, and touch a worker's first two lines. Here these lines make every fork and
 * join call the slow function.
 */
#include "spec.h"

#define SPEC_JOBS 8u	/* of one run, forked and not joined */

struct nap_worker {
	struct nap__forks forks;
	struct nap_frame frames[SPEC_JOBS + 1];
	struct run *job[SPEC_JOBS];
	unsigned nr;		/* jobs that are not joined */
};
static struct nap_worker workers[CHECK_THREADS];

struct nap_worker *spec_worker(void)
{
	struct nap_worker *worker = &workers[check_self()];

	if (!worker->forks.frames) {
		worker->forks.frames = worker->forks.bottom = worker->forks.limit = worker->frames;
		worker->forks.split = worker->frames + SPEC_JOBS + 1;
	}
	return worker;
}

void spec_worker_ends(void)
{
	if (workers[check_self()].nr)
		check_fail("a job is not joined when the function returns that has forked it");
}

struct nap_frame *nap_fork_slow(struct nap_worker *worker, struct nap_frame *top)
{
	struct run *run = spec_run(spec_self->pool);

	if (worker != spec_worker())
		check_fail("a fork on another worker than the calling one");
	if (top != worker->frames + worker->nr)
		check_fail("a fork into a frame that is not the first free one");
	if (worker->nr == SPEC_JOBS)
		check_fail("the specification has at most %u jobs of a run that are not joined",
			   SPEC_JOBS);
	worker->job[worker->nr++] = run;
	run->job = top;
	spec_begin_inside(run);
	return top + 1;
}

/* Gives up if the join has taken the job back: in another execution the run sees that at once. */
void spec_run_job(struct run *run)
{
	struct nap_worker *worker = spec_worker();

	check_assume(cas_relaxed(&run->state, QUEUED, BEGUN));
	run->job->run(worker, worker->frames + worker->nr, run->job);
}

bool nap_join_slow(struct nap_worker *worker, struct nap_frame *top)
{
	struct run *run;

	if (worker != spec_worker())
		check_fail("a join on another worker than the calling one");
	if (!worker->nr || top != worker->frames + worker->nr - 1)
		check_fail("a join of a job that is not the one that was forked last");
	run = worker->job[--worker->nr];
	if (cas_relaxed(&run->state, QUEUED, LEFT))
		return true;
	spec_waits();
	nap_check_waits_for("the end of the job", NULL, &run->number, "which is *'s");
	while (!acquire(&run->ended))
		;
	waits_no_more();
	spec_goes_on();
	return false;
}
