/* SPDX-License-Identifier: MIT */
/*
 * Whether there is anything to run: for a worker that stops searching, dozes or retires, for a
 * thread that may help or start a worker, and for one that asks whether the pool is at rest. These
 * functions take no tasks.
 *
 * A worker parks without these functions: its search found nothing, and the protocol's word says
 * that no thread has notified since (src/idle/idle.h).
 */
#ifndef NAP_QUEUED_H
#define NAP_QUEUED_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/worker.h"

/*
 * Any thread: whether a search would find a task, a public job or a fiber that can get a stack, or
 * whether timers lack a poller (a worker that finds no task polls them: src/async/timer/timers.h).
 * Tasks of a class at its limit do not count, because a worker that leaves the class takes them
 * (src/kit/class.h).
 */
bool nap__work_queued(struct nap_pool *pool);

/*
 * Any thread: whether tasks remain to be run. As nap__work_queued(), but tasks of a class at its
 * limit count, too. Fibers that wait for a stack, and timers, do not count.
 */
bool nap__anything_queued(struct nap_pool *pool);

/*
 * Any thread: as nap__work_queued(), without lone tasks in rings, which their owners take next.
 * Fibers that wait for a stack, and timers, do not count either.
 */
bool nap__more_than_lone(struct nap_pool *pool);

/*
 * Worker that has ended a search on which others relied: whether another worker has to be notified.
 * Also asks all workers for private jobs again (src/fork/ask.h): a forker that has answered a
 * request keeps its next jobs private, and relies on the notified worker to ask again. [F2]
 */
bool nap__others_needed(struct nap_worker *worker);

/* Any thread: returns how many injected tasks wait, as far as they have been counted. */
uint64_t nap__injected_count(struct nap_pool *pool);

#endif /* NAP_QUEUED_H */
