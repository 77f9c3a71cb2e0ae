/* SPDX-License-Identifier: MIT */
/*
 * nap_call()s that have found no place and wait in pool->calls, as the rest of the pool sees them.
 * src/fork/call.c lists them, and says how.
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

/* Any thread, after a full fence: there may be a place, or the pool was stopped. */
static inline void calls_look_again(struct nap_pool *pool)
{
	if (calls_wait(pool))
		waitlist_wake(&pool->calls, EVENT_LATCH);
}

struct nap_task *nap__take_call(struct nap_pool *pool);

/* Worker or guest: the call that was listed first, as a task to be run; or NULL. */
static inline struct nap_task *take_call(struct nap_pool *pool)
{
	return calls_wait(pool) ? nap__take_call(pool) : NULL;
}

#endif /* NAP_CALL_LIST_H */
