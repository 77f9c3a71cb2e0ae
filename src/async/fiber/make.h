/* SPDX-License-Identifier: MIT */
/* Making a fiber on a free stack, and sizing the stacks: src/async/fiber/spawn.c, start.c. */
#ifndef NAP_FIBER_MAKE_H
#define NAP_FIBER_MAKE_H

#include <errno.h>

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "async/fiber/stacks.h"

/*
 * Returns the pool's fibers, sized by defaults if necessary. NULL: *@err says why. The caller is
 * inside.
 */
static inline struct nap__fibers *fibers_sized(struct nap_pool *pool, int *err)
{
	static const struct nap_fibers_config defaults;
	struct nap__fibers *fibers = nap__fibers_of(pool);

	*err = -ENOMEM;
	if (!fibers)
		return NULL;
	if (stacks_are_sized(fibers))
		return fibers;
	*err = nap__stacks_init(fibers, &defaults);
	return *err && *err != -EBUSY ? NULL : fibers;
}

/* Makes a new fiber, in no queue yet, on a stack that the caller has. */
static inline __attribute__((always_inline)) void fiber_make(struct nap_fiber *fiber,
	nap_fiber_fn fn, void *arg)
{
	nap_task_init(&fiber->task, nap__fiber_run);
	fiber->fn = fn;
	fiber->arg = arg;
	fiber->name[0] = '\0';
	fiber->yields = fiber->left = false;
	fiber->scope = fiber->scopes = NULL;
	fiber->local = NULL;
	fiber->awaiter = JOINER_NONE;
	nap_store_relaxed(&fiber->handed, false);
	fiber_renew(fiber);
	nap_store_relaxed(&fiber->life, FIBER_SPAWNED);
}

#endif /* NAP_FIBER_MAKE_H */
