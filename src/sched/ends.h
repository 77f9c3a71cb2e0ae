/* SPDX-License-Identifier: MIT */
/* Telling those who want to know of a pool's end: src/sched/ends.c. */
#ifndef NAP_ENDS_H
#define NAP_ENDS_H

#include <stdbool.h>

#include <nap/end.h>

#include "arch/atomic.h"
#include "worker/phase.h"

/* pool->ends is a list of struct nap_end, or this: they have been told. */
#define ENDS_TOLD	((uintptr_t)1)

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
 * The same for the thread that has been busy until now: a guest that leaves, a worker about to
 * sleep, or gone.
 */
static inline void ends_look(struct nap_pool *pool)
{
	if (ends_wait(pool))
		nap__ends_look(pool);
}

/* A worker that has left, last thing of its thread: home, and a look. */
void nap__ends_return(struct nap_worker *worker);

/* The joiner, who knows that the end is there. */
void nap__ends_tell(struct nap_pool *pool);

/*
 * Any thread inside the pool but not inside its intake, which was closed: wait for those who are
 * inside to schedule. False: somebody is there for longer, and looks when he leaves.
 */
bool nap__intake_settles(struct nap_pool *pool);

#endif /* NAP_ENDS_H */
