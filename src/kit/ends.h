/* SPDX-License-Identifier: MIT */
/* Notification of a pool's end: src/kit/ends.c. */
#ifndef NAP_ENDS_H
#define NAP_ENDS_H

#include <stdbool.h>

#include <nap/end.h>

#include "arch/atomic.h"
#include "worker/phase.h"

/* Any thread, after a full fence: whether an end is listed. [N1] */
static inline bool ends_wait(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->ends) > ENDS_TOLD;
}

/* Inside the pool: list @end. False: too late, the end has been reached. */
bool nap__ends_add(struct nap_pool *pool, struct nap_end *end);

/*
 * Any thread inside the pool but not inside its intake, after a full fence, that may have finished
 * the last piece of work: if the end has been reached, notify all that are listed.
 */
void nap__ends_look(struct nap_pool *pool);

/*
 * Any thread inside the pool but not inside its intake, which was closed: wait for the threads that
 * are inside to schedule. False: one of them stays for longer, and checks when it leaves.
 */
bool nap__intake_settles(struct nap_pool *pool);

#endif /* NAP_ENDS_H */
