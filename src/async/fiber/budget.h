/* SPDX-License-Identifier: MIT */
/*
 * How many calls that may wait, and need not, a fiber makes in a row: NAP_FIBER_BUDGET
 * (nap/fiber.h). A worker has nothing else to see such a fiber by: it never comes back. (Tokio:
 * tokio/src/task/coop, 128.)
 *
 * self->budget counts up to 0 from where nap__fiber_enter() sets it, each time the fiber goes on.
 * So on a thread that is in no fiber, and has begun with 0, nothing happens for a very long time,
 * and then nothing else.
 */
#ifndef NAP_FIBER_BUDGET_H
#define NAP_FIBER_BUDGET_H

#include <stdbool.h>

#include <nap/fiber.h>

#include "worker/self.h"

#define BUDGET_FULL (0u - NAP_FIBER_BUDGET)

/* It is spent: a fiber gives way; after this the thread may be another. */
void nap__budget_spent(void);

/* The same as below, for a caller that asks for the thread after it, in the same function. */
void nap__budget_spend(void);

/* Count a call. True: the budget is spent, and the caller is to say so with nap__budget_spent(). */
static inline bool budget_is_spent(void)
{
	struct nap__self *self = nap__self_in_parent();

	return __builtin_expect(!++self->budget, 0);
}

/*
 * First thing in a call that may wait, before it has got anything, or is counted anywhere. Not in a
 * call that only looks.
 */
static inline void budget_spend(void)
{
	if (budget_is_spent())
		nap__budget_spent();
}

#endif /* NAP_FIBER_BUDGET_H */
