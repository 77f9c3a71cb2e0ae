/* SPDX-License-Identifier: MIT */
/* Telling those who want to know of a pool's end: src/kit/ends.c. */
#ifndef NAP_ENDS_H
#define NAP_ENDS_H

#include <stdbool.h>

#include <nap/end.h>

#include "arch/atomic.h"
#include "worker/phase.h"

/* Any thread, after a full fence: somebody waits to be told. [N1] */
static inline bool ends_wait(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->ends) > ENDS_TOLD;
}

/* Inside the pool: list @end. False: it is too late for that, everything was done. */
bool nap__ends_add(struct nap_pool *pool, struct nap_end *end);

/*
 * Any thread inside the pool but not inside its intake, of which something may have been what the
 * end was waiting for; after a full fence. If the end is there, all are told.
 */
void nap__ends_look(struct nap_pool *pool);

/*
 * Any thread inside the pool but not inside its intake, which was closed: wait for the threads that
 * are inside to schedule. False: one is there for longer, and looks when it leaves.
 */
bool nap__intake_settles(struct nap_pool *pool);

#endif /* NAP_ENDS_H */
