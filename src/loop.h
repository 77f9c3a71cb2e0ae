/* SPDX-License-Identifier: MIT */
/* What those share who run tasks: a worker's loop, and whoever waits or helps. src/loop.c. */
#ifndef NAP_LOOP_H
#define NAP_LOOP_H

#include "worker.h"

/* Worker: run a task that it dequeued. */
void nap__run(struct nap_worker *worker, struct nap_task *task);

#endif /* NAP_LOOP_H */
