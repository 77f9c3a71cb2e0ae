/* SPDX-License-Identifier: MIT */
/* Which queue a tick serves, so that nothing starves: src/sched/fair.c. */
#ifndef NAP_FAIR_H
#define NAP_FAIR_H

#include <stdbool.h>

#include "worker/tick.h"
#include "worker/worker.h"

/*
 * Returns what is due (a timer, or a fiber whose sleep is over or whose file is ready), or NULL.
 * Called by a worker whose tick has come; goes before everything else. *@more: as below.
 */
struct nap_task *nap__take_due(struct nap_worker *worker, bool *more);

/*
 * Returns the task that the tick serves, or NULL. Called by a worker whose tick has come, which
 * stays due until what was moved in bulk is gone. Sets *@more if others have to be notified of what
 * remained (src/queue/kind.h).
 */
struct nap_task *nap__take_turn(struct nap_worker *worker, bool *more);

/* As nap__take_turn(), from the queues alone. */
struct nap_task *nap__take_queues_turn(struct nap_worker *worker, bool *more);

#endif /* NAP_FAIR_H */
