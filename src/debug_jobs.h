/* SPDX-License-Identifier: MIT */
/*
 * As src/debug.h, for jobs: what is forked is joined once, by who forked it, the last first, before
 * the task or job that forked it returns.
 *
 * A debug build has every fork and join go the slow way. There a job that is forked carries the
 * mark that a scheduled task has, and worker->forked counts: a job's number is its slot's. Of the
 * jobs beyond the last slot only the number is known.
 */
#ifndef NAP_DEBUG_JOBS_H
#define NAP_DEBUG_JOBS_H

#include <stdbool.h>

#include <nap/fork.h>

#include "debug.h"
#include "phase.h"
#include "self.h"
#include "worker.h"

/* The child of a fork has no worker any more, but may finish what it is in the middle of. */
static inline void debug_own(struct nap_worker *worker, const char *call, void *caller)
{
	if (own_worker(worker->pool) != worker && !pool_forked(worker->pool))
		nap__os_panic(caller, "%s: worker %p is not the calling one", call, (void *)worker);
}

static inline void debug_fork(struct nap_worker *worker, struct nap_job *job, void *caller)
{
	uintptr_t run;

	if (!DEBUG_BUILD)
		return;
	debug_own(worker, "nap_fork", caller);
	run = nap_fetch_or_relaxed((uintptr_t *)&job->run, DEBUG_SCHEDULED);
	if (!run)
		nap__os_panic(caller, "nap_fork: job %p has no run function", (void *)job);
	if (run & DEBUG_SCHEDULED)
		nap__os_panic(caller, "nap_fork: job %p is forked twice", (void *)job);
	worker->forked++;
}

static inline void debug_join(struct nap_worker *worker, struct nap_job *job, void *caller)
{
	struct nap__slot *full = deque_full(&worker->deque), *slot = full;
	uint32_t number = worker->forked - 1;

	if (!DEBUG_BUILD)
		return;
	debug_own(worker, "nap_join", caller);
	if (!((uintptr_t)job->run & DEBUG_SCHEDULED) || !worker->forked)
		nap__os_panic(caller, "nap_join: job %p is not forked", (void *)job);
	if (number < full - worker->slots)
		slot = &worker->slots[number];
	if (job->slot != slot || (slot != full && slot->job != job))
		nap__os_panic(caller, "nap_join: job %p is not the last that was forked",
			      (void *)job);
}

static inline void debug_joined(struct nap_worker *worker, struct nap_job *job)
{
	if (!DEBUG_BUILD)
		return;
	nap_fetch_and_relaxed((uintptr_t *)&job->run, ~DEBUG_SCHEDULED);
	worker->forked--;
}

static inline nap_job_fn debug_run(struct nap_job *job)
{
	if (!DEBUG_BUILD)
		return job->run;
	return (nap_job_fn)(nap_load_relaxed((uintptr_t *)&job->run) & ~DEBUG_SCHEDULED);
}

/* Before a task or job is run; and behind it, with what that returned. */
static inline uint32_t debug_forked(struct nap_worker *worker)
{
	return DEBUG_BUILD ? worker->forked : 0;
}

static inline void debug_returned(struct nap_worker *worker, uint32_t forked, const char *what,
				  void *run)
{
	if (DEBUG_BUILD && worker->forked != forked)
		nap__os_panic(run, "a %s has returned with %u of its jobs not joined", what,
			      worker->forked - forked);
}

#endif /* NAP_DEBUG_JOBS_H */
