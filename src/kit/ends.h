/* SPDX-License-Identifier: MIT */
/* Notification of a pool's end: src/kit/ends.c. */
#ifndef NAP_ENDS_H
#define NAP_ENDS_H

#include <stdbool.h>

#include <nap/end.h>

#include "arch/atomic.h"
#include "os/happens.h"
#include "worker/phase.h"

/* Whether an end is listed. Called by any thread, after a full fence. [N1] */
static inline bool ends_wait(struct nap_pool *pool)
{
	/* Not noticed in tests when >= for >: the end that was told of is looked for in vain. */
	return nap_load_relaxed(&pool->ends) > ENDS_TOLD;
}

/*
 * Pushes the task of @end. Called between unseen_begin() and unseen_end(), which do not nest:
 * nap_cq_push() calls them, too.
 */
static inline void end_push(struct nap_end *end)
{
	int (*push)(struct nap_cq *, struct nap_task *) = end->push;
	struct nap_cq *cq = end->cq;

	unseen_end();
	push(cq, &end->task);
	unseen_begin();
}

/* Called inside the pool: lists @end. False: too late, the pool's end has been reached. */
bool nap__ends_add(struct nap_pool *pool, struct nap_end *end);

/*
 * Notifies all listed ends, if the pool's end has been reached. Called after a full fence, by a
 * thread inside the pool, but not inside its intake, that may have finished the last piece of work.
 */
void nap__ends_look(struct nap_pool *pool);

/*
 * Waits for the threads that schedule inside the closed intake. Called by a thread inside the pool,
 * but not inside its intake. False: a thread in the intake stays for longer, and itself checks for
 * the end when it leaves.
 */
bool nap__intake_settles(struct nap_pool *pool);

#endif /* NAP_ENDS_H */
