/* SPDX-License-Identifier: MIT */
/* The queue that a tick serves, so that no task starves: src/sched/fair.c. */
#ifndef NAP_FAIR_H
#define NAP_FAIR_H

#include <stdbool.h>

#include "worker/tick.h"
#include "worker/worker.h"

/*
 * Returns a due task (of a timer, or of a fiber whose sleep is over or whose file is ready), or
 * NULL. Called by a worker at a tick, before all queues. *@more: as in nap__take_turn().
 */
struct nap_task *nap__take_due(struct nap_worker *worker, bool *more);

/*
 * Returns the task that the tick serves, or NULL. Called by a worker whose tick has come. The tick
 * stays due until the tasks that were moved in bulk have been run. Sets *@more if other workers
 * have to be notified of remaining tasks (src/queue/kind.h).
 */
struct nap_task *nap__take_turn(struct nap_worker *worker, bool *more);

/* As nap__take_turn(), but without due tasks. */
struct nap_task *nap__take_queues_turn(struct nap_worker *worker, bool *more);

#endif /* NAP_FAIR_H */
