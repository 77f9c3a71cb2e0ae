/* SPDX-License-Identifier: MIT */
/* What the worker loop needs to know of forked jobs: src/sched/jobs.c. */
#ifndef NAP_JOBS_H
#define NAP_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/fork.h>
#include <nap/pool.h>

#include "sync/latch.h"
#include "worker/worker.h"

/*
 * pool->forks: whether anything is ever forked, and how. Decided by the first fork, which knows
 * whether a sandbox has taken membarrier away by then.
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
 * Worker, before a fork and after it: it is asked for jobs, by itself. So that fork tells the idle
 * ones, after a full fence, and a worker that falls idle afterwards finds that this worker has been
 * asked: neither of them needs a membarrier. For forks that are few and large. [F2]
 */
static inline void ask_oneself(struct nap_worker *worker)
{
	deque_ask(&worker->deque);
}

/*
 * Worker: until the latch is set, as an idle worker; where it may not nest tasks it only sleeps. It
 * answers letters. @stuck: as in src/wait/deep.h. False: in the child of a fork, where nobody sets
 * it.
 */
bool nap__latch_wait(struct nap_worker *worker, struct nap_frame *frame, bool stuck);

/*
 * Worker: claim the oldest public job of @victim, or NULL. The result is to be given to
 * nap__run() before anything else is stolen. @more: set, because the forker of one has others soon.
 */
struct nap_task *nap__steal_job(struct nap_worker *worker, struct nap_worker *victim, bool *more);

/* Worker: the same of its own, private ones included. */
struct nap_task *nap__own_job(struct nap_worker *worker);

/* Worker: run the job that it claimed last. */
void nap__run_job(struct nap_worker *worker);

#endif /* NAP_JOBS_H */
