/* SPDX-License-Identifier: MIT */
/* A fiber of a scope: nap/scope.h. */
#ifndef NAP_FIBER_SCOPE_H
#define NAP_FIBER_SCOPE_H

#include <stdbool.h>

#include <nap/scope.h>

#include "async/fiber/fiber.h"
#include "wait/group.h"
#include "worker/self.h"

/* Whether the caller would block a worker that the fibers of @pool need. */
static inline bool scope_would_block(struct nap_pool *pool)
{
	return insider(pool) && !nap__fiber_waiting();
}

/* Counts @fiber in, before the fiber is queued. False: the scope is canceled. */
bool nap__scope_enter(struct nap_scope *scope, struct nap_fiber *fiber);

/* Closes @scope for the fiber that opened it: canceling @scope no longer asks that fiber to end. */
void nap__scope_close(struct nap_scope *scope);

/* Removes @fiber, which has ended, or was not queued after all. The scope still counts @fiber. */
void nap__scope_leave(struct nap_fiber *fiber);

/* Counts out a fiber that has left, and whose stack was given back. The last touch of the scope. */
static inline void nap__scope_count_out(struct nap_scope *scope)
{
	nap__group_done(&scope->group);
}

#endif /* NAP_FIBER_SCOPE_H */
