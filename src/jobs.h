/* SPDX-License-Identifier: MIT */
/* What the worker loop needs to know of forked jobs: src/jobs.c. */
#ifndef NAP_JOBS_H
#define NAP_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/fork.h>
#include <nap/pool.h>

#include "atomic.h"
#include "worker.h"

/*
 * pool->forks: whether anything is ever forked, and how. Decided by the first fork, which knows
 * whether a sandbox has taken membarrier away meanwhile.
 */
enum nap__forks_mode {
	FORKS_NONE,
	FORKS_SPLIT,	/* what nobody asks for stays private */
	FORKS_FENCED,	/* there is no membarrier: everything is public */
};

static inline bool forks_are_split(struct nap_worker *worker)
{
	return nap_load_relaxed(&worker->pool->forks) == FORKS_SPLIT;
}

/*
 * A frame's latch is Rayon's (rayon-core/src/latch.rs) without the state SLEEPY, between whose
 * begin and end nothing would happen here:
 *
 *	UNSET     not run yet, and the joiner is not to be told
 *	SLEEPING  the joiner is to be told, by EVENT_LATCH; it looks at the queues a last time, as
 *	          every idle worker, and sleeps
 *	SET       the job has been run
 *
 * The thief's exchange to SET is its last touch of the frame, and before it the thief has read who
 * waits. The frame is of the victim's record, which lives until the pool is joined; its owner may
 * fork into it again from that exchange on.
 */
enum nap__latch { LATCH_UNSET, LATCH_SLEEPING, LATCH_SET };

/*
 * Worker: claim the oldest public job of @victim, or NULL. The result is to be given to
 * nap__run() before anything else is stolen. @more: set, for whoever forks one has others soon.
 */
struct nap_task *nap__steal_job(struct nap_worker *worker, struct nap_worker *victim, bool *more);

/* Worker: the same of its own, private ones included. */
struct nap_task *nap__own_job(struct nap_worker *worker);

/* Worker: run the job that it claimed last. */
void nap__run_job(struct nap_worker *worker);

#endif /* NAP_JOBS_H */
