/* SPDX-License-Identifier: MIT */
/*
 * Asking everybody for jobs. A forker keeps jobs private, and publishes for those that have asked.
 * Where the kernel has no membarrier nobody can be asked, and each fork is public, with a fence
 * after it.
 */
#ifndef NAP_ASK_H
#define NAP_ASK_H

#include <stdbool.h>
#include <stdint.h>

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

/* Any thread inside that forks: pool->forks, decided by the first one. */
uint32_t nap__fork_mode(struct nap_pool *pool);

/*
 * Any thread inside: whether there are jobs, public or private, that somebody might take. Forkers
 * are asked to publish: what is forked from then on tells by itself.
 */
bool nap__jobs_wait(struct nap_pool *pool);

/*
 * Worker: make public what @victim keeps private. It is asked as well, for what it forks later.
 * True: something was there to be had.
 */
bool nap__ask_one(struct nap_worker *victim);

/*
 * Worker: as struct nap__source has it of reveal(). From now on every fork notifies. Then it looks
 * for jobs, also for those that their owners keep private. How many workers have some.
 */
uint32_t nap__ask_for_jobs(struct nap_worker *worker);

#endif /* NAP_ASK_H */
