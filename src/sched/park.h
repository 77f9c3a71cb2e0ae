/* SPDX-License-Identifier: MIT */
/* How a worker sleeps: at rest, in a wait inside a task, or in a join. src/sched/park.c. */
#ifndef NAP_PARK_H
#define NAP_PARK_H

#include <stdint.h>

#include "worker/worker.h"

/*
 * Worker: sleep until there may be work (NAP_SEARCH), the pool ends (NAP_EXIT), or there is another
 * reason or the @deadline has come (NAP_WAIT_OVER). Reasons other than EVENT_WORK are added to
 * *@reasons.
 */
enum nap__verdict nap__park(struct nap_worker *worker, uint64_t deadline, uint32_t *reasons);

#endif /* NAP_PARK_H */
