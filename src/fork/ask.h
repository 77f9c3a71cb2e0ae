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
 * pool->forks: whether anything was ever forked, and how. The first fork decides how, because a
 * sandbox may have taken membarrier away until then.
 */
enum nap__forks_mode {
	FORKS_NONE,
	FORKS_SPLIT,	/* a job stays private until somebody asks */
	FORKS_FENCED,	/* there is no membarrier: everything is public */
};

static inline bool forks_are_split(struct nap_worker *worker)
{
	return nap_load_relaxed(&worker->pool->forks) == FORKS_SPLIT;
}

/*
 * Worker, before a fork and once more after it: asks itself for jobs. So the fork notifies idle
 * workers, after a full fence. A worker that falls idle later finds that this worker has been asked
 * already. So neither the fork nor that worker needs a membarrier. For forks that are few and
 * large. [F2]
 */
static inline void ask_oneself(struct nap_worker *worker)
{
	deque_ask(&worker->deque);
}

/* Any thread inside that forks: returns pool->forks, which the first fork decides. */
uint32_t nap__fork_mode(struct nap_pool *pool);

/*
 * Any thread inside: whether there are jobs, public or private, that a worker might take. Asks
 * forkers to publish: from then on a fork notifies by itself.
 */
bool nap__jobs_wait(struct nap_pool *pool);

/*
 * Worker: makes public what @victim keeps private, and asks @victim to publish later forks. True:
 * there was a job to take.
 */
bool nap__ask_one(struct nap_worker *victim);

/*
 * Worker: reveal() of struct nap__source. From now on every fork notifies. Then searches for jobs,
 * private ones included. Returns how many workers have some.
 */
uint32_t nap__ask_for_jobs(struct nap_worker *worker);

#endif /* NAP_ASK_H */
