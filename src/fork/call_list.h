/* SPDX-License-Identifier: MIT */
/*
 * Calls that have found no guest record and wait in pool->calls (src/fork/call.c). To the rest of
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

/* On the caller's stack. */
struct nap__call {
	struct nap_task task;		/* what a worker runs */
	struct nap__waiter listed;
	uint32_t event;
	bool taken;			/* by somebody who runs it, and gives EVENT_LATCH then */
};

/* Any thread inside the pool: whether one waits. */
static inline bool calls_wait(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->calls) != 0;
}

/* The caller: list @call, so that a worker runs its task or a guest that leaves sets its event. */
void nap__call_list(struct nap_pool *pool, struct nap__call *call);

#endif /* NAP_CALL_LIST_H */
