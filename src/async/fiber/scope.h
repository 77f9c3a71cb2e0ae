/* SPDX-License-Identifier: MIT */
/* A fiber of a scope: nap/scope.h. */
#ifndef NAP_FIBER_SCOPE_H
#define NAP_FIBER_SCOPE_H

#include <stdbool.h>

#include <nap/scope.h>

/* Count @fiber in, before it is queued. False: the scope is canceled. */
bool nap__scope_enter(struct nap_scope *scope, struct nap_fiber *fiber);

/* Closes @scope for the fiber that opened it: a cancellation no longer asks that fiber to end. */
void nap__scope_close(struct nap_scope *scope);

/* Counts out @fiber, which has ended, or was not queued after all. The last touch of the scope. */
void nap__scope_leave(struct nap_fiber *fiber);

#endif /* NAP_FIBER_SCOPE_H */
