/* SPDX-License-Identifier: MIT */
/* What those share who run tasks: a worker's loop, and whoever waits or helps. src/loop.c. */
#ifndef NAP_LOOP_H
#define NAP_LOOP_H

#include <stdint.h>

#include "worker.h"

/* Worker: run a task that it dequeued. */
void nap__run(struct nap_worker *worker, struct nap_task *task);

/*
 * Worker: sleep until there may be work (NAP_SEARCH), the pool ends (NAP_EXIT), or there is another
 * reason or the @deadline has come (NAP_WAIT_OVER). Reasons other than EVENT_WORK are added to
 * *@reasons.
 */
enum nap__verdict nap__park(struct nap_worker *worker, uint64_t deadline, uint32_t *reasons);

#endif /* NAP_LOOP_H */
