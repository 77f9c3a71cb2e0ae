/* SPDX-License-Identifier: MIT */
/* Which queue has its turn, so that nothing starves: src/sched/fair.c. */
#ifndef NAP_FAIR_H
#define NAP_FAIR_H

#include <stdbool.h>

#include "worker/tick.h"
#include "worker/worker.h"

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
