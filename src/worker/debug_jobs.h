/* SPDX-License-Identifier: MIT */
/*
 * Checks as in src/sync/debug.h, for jobs: each job is joined once, by the thread that forked it,
 * the last one first, before the task or job that forked it returns. Blocking sections have to end
 * before that return, too.
 *
 * In a debug build every fork and join takes the slow path, which counts in worker->forked. A job's
 * number is its frame's index, so a wrong frame in a fork or join is found at once. Jobs beyond the
 * last frame are only counted.
 */
#ifndef NAP_DEBUG_JOBS_H
#define NAP_DEBUG_JOBS_H

#include <stdbool.h>
#include <string.h>

#include <nap/fork.h>

#include "sync/debug.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/worker.h"

/*
 * Checks that the calling thread is @worker. (In the child of a fork the thread is no longer a
 * worker, but may finish its task.)
 */
static inline void debug_own(struct nap_worker *worker, const char *call, void *caller)
{
	if (own_worker(worker->pool) != worker && !pool_forked(worker->pool))
		nap__os_panic(caller, "%s: worker %p is not the calling one", call, (void *)worker);
}

/* Returns the frame of job @number; all jobs beyond the last frame share this frame. */
static inline struct nap_frame *debug_frame(struct nap_worker *worker, uint32_t number)
{
	struct nap__forks *forks = &worker->deque.forks;

	return number < forks->full - forks->frames ? forks->frames + number : forks->full;
}

static inline void debug_fork(struct nap_worker *worker, struct nap_frame *top, void *caller)
{
	if (!DEBUG_BUILD)
		return;
	debug_own(worker, "nap_fork", caller);
	if (top != debug_frame(worker, worker->forked))
		nap__os_panic(caller, "nap_fork: frame %p is not the top, %p", (void *)top,
			      (void *)debug_frame(worker, worker->forked));
	if (!top->run)
		nap__os_panic(caller, "nap_fork: the job in frame %p has no run function",
			      (void *)top);
	worker->forked++;
}

static inline void debug_join(struct nap_worker *worker, struct nap_frame *top, void *caller)
{
	if (!DEBUG_BUILD)
		return;
	debug_own(worker, "nap_join", caller);
	if (!worker->forked)
		nap__os_panic(caller, "nap_join: nothing is forked, nor in frame %p", (void *)top);
	if (top != debug_frame(worker, worker->forked - 1))
		nap__os_panic(caller, "nap_join: frame %p is not the last that was forked into, %p",
			      (void *)top, (void *)debug_frame(worker, worker->forked - 1));
}

/*
 * Overwrites the frame of a job that the joiner gets back: the joiner must use its own variables
 * for the argument.
 */
static inline void debug_joined(struct nap_worker *worker, struct nap_frame *top, bool mine)
{
	if (!DEBUG_BUILD)
		return;
	worker->forked--;
	if (mine)
		memset(top->words, 0xa5, sizeof(top->words));
}

/*
 * Called before a task or job runs. debug_returned() is called with the result when the task or job
 * has returned.
 */
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

/* A task has to end in as many blocking sections (nap/blocking.h) as it began in. */
static inline void debug_sections(struct nap_worker *worker, uint32_t sections, void *run)
{
	if (DEBUG_BUILD && worker->sections != sections)
		nap__os_panic(run, "a task has returned inside a blocking section");
}

#endif /* NAP_DEBUG_JOBS_H */
