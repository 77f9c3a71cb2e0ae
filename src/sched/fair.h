/* SPDX-License-Identifier: MIT */
/* Which queue has its turn, so that nothing starves: src/sched/fair.c. */
#ifndef NAP_FAIR_H
#define NAP_FAIR_H

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

/*
 * Worker at a stop: what is due (a timer, or a fiber whose sleep is over or whose file is ready),
 * or NULL. It goes before everything else. *@more: as below.
 */
struct nap_task *nap__take_due(struct nap_worker *worker, bool *more);

/*
 * Worker: the task whose turn it is, or NULL. The turn stays due until what was moved in bulk is
 * gone. *@more is set when others are to be told of what was left (src/queue/kind.h).
 */
struct nap_task *nap__take_turn(struct nap_worker *worker, bool *more);

/* The same, of the queues alone. */
struct nap_task *nap__take_queues_turn(struct nap_worker *worker, bool *more);

#endif /* NAP_FAIR_H */
