/* SPDX-License-Identifier: MIT */
/*
 * Calls that have found no guest record and wait in pool->calls (src/fork/call.c). For the rest of
 * the pool they are a kind of work: src/worker/source.h.
 */
#ifndef NAP_CALL_LIST_H
#define NAP_CALL_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "arch/atomic.h"
#include "sync/event.h"
#include "sync/waitlist.h"

/* A listed call, on the caller's stack. */
struct nap__call {
	struct nap_task task;		/* the task by which a worker runs the call */
	struct nap__waiter listed;
	uint32_t event;
	/* a thread runs the call, and sets EVENT_LATCH afterwards */
	bool taken;
};

/* Called by any thread inside the pool: whether a call waits. */
static inline bool calls_wait(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->calls) != 0;
}

/*
 * Called by the caller of nap_call(): lists @call, so that a worker runs its task, or a leaving
 * guest sets its event.
 */
void nap__call_list(struct nap_pool *pool, struct nap__call *call);

#endif /* NAP_CALL_LIST_H */
