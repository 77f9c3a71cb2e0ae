/* SPDX-License-Identifier: MIT */
/*
 * A fiber gives way after NAP_FIBER_BUDGET (nap/fiber.h) calls that could have waited and did not.
 * Without a budget such a fiber would never return to its worker. (Tokio's budget is 128:
 * tokio/src/task/coop.)
 *
 * self->budget counts up to 0. nap__fiber_enter() sets the budget each time a fiber is resumed. On
 * a thread outside all fibers the budget begins with 0, and is 0 again after 2^32 calls, which has
 * no effect there.
 */
#ifndef NAP_FIBER_BUDGET_H
#define NAP_FIBER_BUDGET_H

#include <stdbool.h>

#include <nap/fiber.h>

#include "worker/self.h"

#define BUDGET_FULL (0u - NAP_FIBER_BUDGET)

/*
 * Gives way if the caller is a fiber. The fiber may be on another thread afterwards. A fiber that
 * cannot leave its stack here stays, and tries again in its next call.
 */
void nap__budget_spent(void);

/* As budget_spend(), out of line, for a caller that uses the thread's state after the call. */
void nap__budget_spend(void);

/* Counts a call. True: the budget is spent, and the caller has to call nap__budget_spent(). */
static inline bool budget_is_spent(void)
{
	struct nap__self *self = nap__self_in_parent();

	return __builtin_expect(!++self->budget, 0);
}

/*
 * Called at the beginning of a call that may wait, before that call takes or counts anything; not
 * in a call that only polls.
 */
static inline void budget_spend(void)
{
	if (budget_is_spent())
		nap__budget_spent();
}

#endif /* NAP_FIBER_BUDGET_H */
