/* SPDX-License-Identifier: MIT */
/*
 * Whether there is anything to run: asked by a thread that is about to sleep or to stop searching.
 * Nothing is taken here.
 */
#ifndef NAP_QUEUED_H
#define NAP_QUEUED_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/worker.h"

/*
 * Any thread: whether a search would find a task or a public job, or timers that nobody polls: a
 * worker that finds nothing else polls them (src/async/timer/timers.h). Tasks of a class at its
 * limit do not count (src/kit/class.h): the worker that leaves the class sees to them.
 */
bool nap__work_queued(struct nap_pool *pool);

/* Any thread: as nap__work_queued(), but tasks of a class at its limit count: not all were run. */
bool nap__anything_queued(struct nap_pool *pool);

/* Any thread: as nap__work_queued(), without lone tasks in rings, which their owners take next. */
bool nap__more_than_lone(struct nap_pool *pool);

/*
 * Worker that has ended a search on which others relied: whether another has to be notified. Not
 * only of queued work: a forker no longer checks for requests, because it trusts that the worker
 * that took the notification asks again. [F2]
 */
bool nap__others_needed(struct nap_worker *worker);

/* Any thread: returns how many injected tasks wait, as far as they have been counted. */
uint64_t nap__injected_count(struct nap_pool *pool);

#endif /* NAP_QUEUED_H */
