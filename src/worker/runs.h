/* SPDX-License-Identifier: MIT */
/*
 * Notes of the function that a worker runs, for a dump (nap/dump.h). Typically the worker stores
 * the address of a task's function before the call, and another thread reads the address at any
 * time. The task itself may be freed by then.
 *
 * A wait, a helping thread and a nap_call() keep the function that ran before, and restore it:
 * become() and back_to() in self.h. So the chain of struct nap__outer has the outer functions.
 *
 * All accesses are relaxed: a dump shows each word as of some time during the dump.
 */
#ifndef NAP_RUNS_H
#define NAP_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/atomic.h"
#include "worker/worker.h"

/*
 * A worker's progress, and the time since which it is unchanged, in one word, so that a reader gets
 * both as of the same moment. The time is in milliseconds: after 17 years without progress
 * seen_for() returns no time. The progress is cut to 24 bits, which the number of a fiber's wait
 * has, too. A worker whose progress between two readings is a multiple of 2^24 seems to stand
 * still; a worker that is busy does so at one reading in 16 million.
 */
#define SEEN_MS_BITS	40
#define SEEN_MS		(((uint64_t)1 << SEEN_MS_BITS) - 1)

static inline uint64_t seen_word(uint64_t progress, uint64_t now)
{
	return progress << SEEN_MS_BITS | (now / 1000000 & SEEN_MS);
}

/*
 * Called by a thread that observes a worker or fiber now and then: notes its @progress in *@seen.
 * Returns the time, in ms, since which the progress is known to be unchanged.
 */
static inline uint64_t seen_for(uint64_t *seen, uint64_t progress, uint64_t now)
{
	uint64_t before = nap_load_relaxed(seen), word = seen_word(progress, now);

	if (before && (before ^ word) >> SEEN_MS_BITS == 0) {
		uint64_t ms = (word - before) & SEEN_MS;

		/*
		 * Another thread may have noted the progress since the caller has read the clock.
		 */
		return ms <= SEEN_MS / 2 ? ms : 0;
	}
	nap_store_relaxed(seen, word);
	return 0;
}

/* Returns a sum that changes when the worker begins a task or a stolen job, rests, or wakes. */
static inline uint64_t done_by(struct nap_worker *worker)
{
	struct nap_worker_stats *stats = &worker->stats;

	return nap_load_relaxed(&stats->run) + nap_load_relaxed(&stats->jobs_stolen) +
	       nap_load_relaxed(&worker->rest);
}

#ifdef NAP_NO_TRACE		/* without a trace there is no dump either */
#define runs_now(worker, fn)		((void)(worker), (void)(fn))
#define runs_on(worker, self)		((void)(worker), (void)(self))
#define runs_begin(worker, self, before) ((void)(worker), (void)(self), (void)(before))
#define runs_back(worker, before)	((void)(worker), (void)(before))
#else
/* Owner: notes that it runs @fn from now on; 0: no function. */
static inline void runs_now(struct nap_worker *worker, uintptr_t fn)
{
	nap_store_relaxed(&worker->runs, fn);
}

/* Called by the thread that becomes @worker: notes the thread's record in the worker's. */
static inline void runs_on(struct nap_worker *worker, struct nap__self *self)
{
	nap_store_relaxed(&worker->self, self);
}

/* Called by the thread that becomes @worker (or NULL: no worker) until runs_back(). */
static inline void runs_begin(struct nap_worker *worker, struct nap__self *self, uintptr_t *before)
{
	*before = 0;
	if (!worker)
		return;
	*before = worker->runs;
	runs_on(worker, self);
}

static inline void runs_back(struct nap_worker *worker, uintptr_t before)
{
	if (worker)
		runs_now(worker, before);
}
#endif

#endif /* NAP_RUNS_H */
