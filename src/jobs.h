/* SPDX-License-Identifier: MIT */
/* What the worker loop needs to know of forked jobs: src/jobs.c. */
#ifndef NAP_JOBS_H
#define NAP_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/fork.h>

/*
 * pool->forks: whether anything is ever forked, and how. Decided by the first fork, for to register
 * for membarrier takes the kernel milliseconds in a process of several threads.
 */
enum nap__forks_mode {
	FORKS_NONE,
	FORKS_SPLIT,	/* what nobody asks for stays private */
	FORKS_FENCED,	/* there is no membarrier: everything is public */
};

/*
 * Worker: claim the oldest public job of @victim, or NULL. The result is to be given to
 * nap__run() before anything else is stolen. @more: set, for whoever forks one has others soon.
 */
struct nap_task *nap__steal_job(struct nap_worker *worker, struct nap_worker *victim, bool *more);

/* Worker: the same of its own, private ones included. */
struct nap_task *nap__own_job(struct nap_worker *worker);

/* Worker: run the job that it claimed last. */
void nap__run_job(struct nap_worker *worker);

/*
 * Worker that is registered as idle and about to sleep, or that has taken a notification which
 * others rely on. From now on every fork notifies. Then it looks for jobs, also for those that
 * their owners keep private. Returns how many workers have jobs:
 *
 *	0	it may sleep
 *	1	it takes a job instead
 *	more	it notifies, too: others may have looked before the jobs could be seen, and sleep
 */
uint32_t nap__jobs_left(struct nap_worker *worker);

#endif /* NAP_JOBS_H */
