/* SPDX-License-Identifier: MIT */
/* Notification of a pool's end: src/kit/ends.c. */
#ifndef NAP_ENDS_H
#define NAP_ENDS_H

#include <stdbool.h>

#include <nap/end.h>

#include "arch/atomic.h"
#include "worker/phase.h"

/* Whether an end is listed. Any thread, after a full fence. [N1] */
static inline bool ends_wait(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->ends) > ENDS_TOLD;
}

/* Lists @end, inside the pool. False: too late, the pool's end has been reached. */
bool nap__ends_add(struct nap_pool *pool, struct nap_end *end);

/*
 * Notifies all listed ends, if the pool's end has been reached. Any thread inside the pool but not
 * inside its intake, after a full fence, that may have finished the last piece of work.
 */
void nap__ends_look(struct nap_pool *pool);

/*
 * Waits for the threads that schedule inside the closed intake. Any thread inside the pool but not
 * inside its intake. False: one of those threads stays for longer, and checks when it leaves.
 */
bool nap__intake_settles(struct nap_pool *pool);

#endif /* NAP_ENDS_H */
