/* SPDX-License-Identifier: MIT */
/*
 * A worker's tick: a count of dequeues, which shows when a search has to begin elsewhere
 * (src/sched/fair.h). This header has only the functions on the words of the record.
 */
#ifndef NAP_TICK_H
#define NAP_TICK_H

#include <stdbool.h>

#include "worker/worker.h"

/* Dequeues from one tick to the next. */
#define FAIR_GAP ((NAP_FAIR_PERIOD + NAP__TURNS - 1) / NAP__TURNS)

_Static_assert(NAP_FAIR_PERIOD >= NAP__TURNS, "one turn a dequeue at most");

/* Worker whose tick has come: whether tasks that were moved into its ring in bulk come first. */
static inline bool turn_waits(struct nap_worker *worker)
{
	return bulk_remains(worker) && worker->bulk_older;
}

/* Worker: whether the tick has come. */
static inline bool turn_is_due(const struct nap_worker *worker)
{
	return worker->tick + 1 >= FAIR_GAP;
}

/*
 * Worker: counts a dequeue. False: the tick has come, and stays due until nap__take_turn() has
 * served it. While it is due nap__dequeue() begins with nap__take_turn().
 */
static inline bool before_turn(struct nap_worker *worker)
{
	if (turn_is_due(worker))
		return false;
	worker->tick++;
	return true;
}

/*
 * Worker that has found no task: sets the tick so that the worker checks for due work after its
 * next task, which may be long.
 */
static inline void restart_parts(struct nap_worker *worker)
{
	worker->part = 1;
	if (FAIR_GAP > 2 && worker->tick < FAIR_GAP - 2) {
		worker->behind += FAIR_GAP - 2 - worker->tick;
		worker->tick = FAIR_GAP - 2;
	}
}

#endif /* NAP_TICK_H */
