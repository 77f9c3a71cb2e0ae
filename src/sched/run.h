/* SPDX-License-Identifier: MIT */
/* What all that run tasks share: a worker's loop, and a thread that waits or helps. src/sched/run.c. */
#ifndef NAP_RUN_H
#define NAP_RUN_H

#include "worker/worker.h"

/* Worker: run a task that it dequeued. */
void nap__run(struct nap_worker *worker, struct nap_task *task);

/* Worker with no task on the stack: tasks of its own ring, until there is something else to look at. */
void nap__run_plain(struct nap_worker *worker);

#endif /* NAP_RUN_H */
