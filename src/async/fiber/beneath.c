/* SPDX-License-Identifier: MIT */
/* Whether a thread is a worker of a pool beneath its running fiber: src/async/fiber/fiber.h. */
#include "async/fiber/fiber.h"
#include "worker/self.h"

static bool host_is_in(const struct nap__fiber_host *host, struct nap_pool *pool)
{
	if (host->worker->pool == pool)
		return true;
	for (struct nap__outer *o = host->outer; o; o = o->outer)
		if (o->worker && o->worker->pool == pool)
			return true;
	return false;
}

bool nap__fiber_beneath(struct nap_pool *pool)
{
	struct nap_fiber *fiber = nap__self()->fiber;

	while (fiber && !host_is_in(fiber->host, pool))
		fiber = fiber->host->fiber_before;
	return fiber;
}
