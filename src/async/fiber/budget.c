/* SPDX-License-Identifier: MIT */
/* A fiber that has not waited for a long time gives way: src/async/fiber/budget.h. */
#include "async/fiber/budget.h"

#include "async/fiber/fiber.h"

void nap__budget_spent(void)
{
	struct nap_fiber *fiber = nap__fiber_waiting();

	if (fiber)
		nap__fiber_yield(fiber);
	else if (nap__self_in_parent()->fiber)
		/* undoes the count here, so that the fiber gives way in a later call */
		nap__self_in_parent()->budget--;
}

void nap__budget_spend(void)
{
	budget_spend();
}
