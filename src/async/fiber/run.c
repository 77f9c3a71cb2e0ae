/* SPDX-License-Identifier: MIT */
/* The task of a fiber, which runs the fiber until it waits or has ended. src/async/fiber/fiber.h */
#include "async/fiber/fiber.h"
#include "os/happens.h"
#include "worker/phase.h"

struct nap_task *nap__fibers_run(struct nap_fiber *fiber)
{
	struct nap_task *next = NULL;

	unseen_begin();
	happens_after(&fiber->wait);
	do {
		fiber = nap__fiber_enter(fiber, &next);
		if (pool_forked(fiber->pool)) {
			next = NULL;
			break;
		}
		if (!nap__fiber_goes_on(fiber))
			break;
		if (next)
			nap__fiber_ready(fiber);
		else
			fiber_at_once(fiber);
	} while (!next);
	unseen_end();
	return next;
}

void nap__fiber_run(struct nap_task *task)
{
	struct nap_task *next = nap__fibers_run(nap_container_of(task, struct nap_fiber, task));

	if (next)
		next->run(next);
}
