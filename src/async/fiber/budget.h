/* SPDX-License-Identifier: MIT */
/*
 * How many calls that could wait, and did not have to, a fiber makes before it gives way:
 * NAP_FIBER_BUDGET (nap/fiber.h). Without a budget such a fiber would never return to its worker.
 * (Tokio: tokio/src/task/coop, 128.)
 *
 * self->budget counts up to 0. nap__fiber_enter() sets it each time the fiber is resumed. On a
 * thread that is in no fiber it begins with 0, and comes to 0 again after 2^32 calls, which has no
 * effect there.
 */
#ifndef NAP_FIBER_BUDGET_H
#define NAP_FIBER_BUDGET_H

#include <stdbool.h>

#include <nap/fiber.h>

#include "worker/self.h"

#define BUDGET_FULL (0u - NAP_FIBER_BUDGET)

/* The budget is spent: a fiber gives way. After this it may be on another thread. */
void nap__budget_spent(void);

/* budget_spend(), out of line: for a caller that uses the thread's state after it. */
void nap__budget_spend(void);

/* Count a call. True: the budget is spent, and the caller has to call nap__budget_spent(). */
static inline bool budget_is_spent(void)
{
	struct nap__self *self = nap__self_in_parent();

	return __builtin_expect(!++self->budget, 0);
}

/*
 * The first thing in a call that may wait, before the call has taken anything or is counted
 * anywhere. Not in a call that only polls.
 */
static inline void budget_spend(void)
{
	if (budget_is_spent())
		nap__budget_spent();
}

#endif /* NAP_FIBER_BUDGET_H */
