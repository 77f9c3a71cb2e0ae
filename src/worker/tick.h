/* SPDX-License-Identifier: MIT */
/*
 * A worker's tick: how many dequeues there have been since the last turn, so when the next is due
 * (src/sched/fair.h). Only words of the record, which the maker of a record sets, too.
 */
#ifndef NAP_TICK_H
#define NAP_TICK_H

#include <stdbool.h>

#include "worker/worker.h"

/* Dequeues from one turn to the next. */
#define FAIR_GAP ((NAP_FAIR_PERIOD + NAP__TURNS - 1) / NAP__TURNS)

_Static_assert(NAP_FAIR_PERIOD >= NAP__TURNS, "one turn a dequeue at most");

/* Worker whose turn is due: whether something in its ring goes first, moved there in bulk. */
static inline bool turn_waits(struct nap_worker *worker)
{
	return bulk_remains(worker) && worker->bulk_older;
}

/*
 * Worker that dequeues: counts it. False: somebody's turn has come, and stays until it was taken
 * (nap__take_turn(), which nap__dequeue() begins with then).
 */
static inline bool before_turn(struct nap_worker *worker)
{
	if (worker->tick + 1 >= FAIR_GAP)
		return false;
	worker->tick++;
	return true;
}

/* Worker that has found nothing: it looks after the next task, which may be a long one. */
static inline void restart_parts(struct nap_worker *worker)
{
	worker->part = 1;
	if (FAIR_GAP > 2 && worker->tick < FAIR_GAP - 2) {
		worker->behind += FAIR_GAP - 2 - worker->tick;
		worker->tick = FAIR_GAP - 2;
	}
}

#endif /* NAP_TICK_H */
