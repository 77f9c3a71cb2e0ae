/* SPDX-License-Identifier: MIT */
/*
 * Asking all workers for jobs. A forker keeps jobs private, and publishes them when it is asked.
 * Without membarrier in the kernel no worker can be asked, and each fork is public, with a fence
 * after it.
 */
#ifndef NAP_ASK_H
#define NAP_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/worker.h"

/*
 * The values of pool->forks: whether a job was ever forked, and how forks are published. The first
 * fork decides this, because a sandbox may take membarrier away before it.
 */
enum nap__forks_mode {
	FORKS_NONE,
	FORKS_SPLIT,	/* a job stays private until a worker asks */
	FORKS_FENCED,	/* there is no membarrier: every fork is public */
};

static inline bool forks_are_split(struct nap_worker *worker)
{
	return nap_load_relaxed(&worker->pool->forks) == FORKS_SPLIT;
}

/*
 * Called by a worker before a fork and once more after the fork: the worker asks itself for jobs.
 * So the fork notifies idle workers, after a full fence, and a worker that falls idle later finds
 * that this worker was asked. Neither worker needs a membarrier. This is for forks that are few and
 * large. [F2]
 */
static inline void ask_oneself(struct nap_worker *worker)
{
	deque_ask(&worker->deque);
}

/* Called by any thread inside that forks: returns pool->forks, which the first fork sets. */
uint32_t nap__fork_mode(struct nap_pool *pool);

/*
 * Called by any thread inside: whether there are jobs, public or private, that a worker might take.
 * Asks forkers to publish: from then on each fork notifies.
 */
bool nap__jobs_wait(struct nap_pool *pool);

/*
 * Called by a worker: makes the private jobs of @victim public, and asks @victim to publish later
 * forks. True: there was a job to take.
 */
bool nap__ask_one(struct nap_worker *victim);

/*
 * Called by a worker, as reveal() of struct nap__source: from now on every fork notifies. Then
 * searches for jobs, private ones included. Returns how many workers have jobs.
 */
uint32_t nap__ask_for_jobs(struct nap_worker *worker);

#endif /* NAP_ASK_H */
