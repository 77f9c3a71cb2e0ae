/* SPDX-License-Identifier: MIT */
/*
 * Whether there is anything to run: asked by the thread that is about to sleep, or to stop looking.
 * Nothing is taken here.
 */
#ifndef NAP_QUEUED_H
#define NAP_QUEUED_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/worker.h"

/*
 * Any thread: whether there is a task or a public job anywhere that a search would find, or timers
 * for which nobody sits: a worker that finds nothing else sits down (src/async/timer/timers.h). Not
 * the tasks of a class that is at its limit (src/kit/class.h): the worker that leaves it sees to
 * them.
 */
bool nap__work_queued(struct nap_pool *pool);

/* Any thread: whether there is a task or a public job, those included. For who asks whether all were run. */
bool nap__anything_queued(struct nap_pool *pool);

/* Any thread: the first, except tasks that are alone in a ring, whose owner may take them next. */
bool nap__more_than_lone(struct nap_pool *pool);

/*
 * Worker that has ended a search on which others relied: whether somebody else is to be told. Not
 * only of what is there: a forker has stopped to look for those that ask, trusting that the worker
 * that took the notification asks again. [F2]
 */
bool nap__others_needed(struct nap_worker *worker);

#endif /* NAP_QUEUED_H */
