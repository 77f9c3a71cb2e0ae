/* SPDX-License-Identifier: MIT */
/* nap_call()s that have found no place, as the rest of the pool sees them: src/call.c. */
#ifndef NAP_CALL_H
#define NAP_CALL_H

#include <stdbool.h>

#include <nap/pool.h>

#include "atomic.h"
#include "event.h"
#include "waitlist.h"

/* Any thread inside the pool: whether one waits. */
static inline bool calls_wait(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->calls) != 0;
}

/* Any thread, behind a full fence: there may be a place, or the pool was stopped. */
static inline void nap__calls_look_again(struct nap_pool *pool)
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

#endif /* NAP_CALL_H */
