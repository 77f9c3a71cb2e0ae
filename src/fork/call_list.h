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
	struct nap_task task;		/* what a worker runs */
	struct nap__waiter listed;
	uint32_t event;
	bool taken;			/* a thread runs the call, and then gives EVENT_LATCH */
};

/* Any thread inside the pool: whether a call waits. */
static inline bool calls_wait(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->calls) != 0;
}

/* Caller: lists @call, so that a worker runs its task or a leaving guest sets its event. */
void nap__call_list(struct nap_pool *pool, struct nap__call *call);

#endif /* NAP_CALL_LIST_H */
