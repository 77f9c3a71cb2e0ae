/* SPDX-License-Identifier: MIT */
/* A fiber that has ended switches to its awaiter: src/async/fiber/direct.h. */
#include "async/fiber/direct.h"

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "async/fiber/wait.h"

/*
 * @fiber has ended. If its joiner is a fiber of the same pool that has left its stack, ends the
 * joiner's wait, and returns the joiner. Else returns NULL: the joiner stays listed, or is kept in
 * fiber->awaiter, and nap__fiber_end() notifies it, after the stack of @fiber was given back.
 */
static struct nap_fiber *take_awaiter(struct nap_fiber *fiber)
{
	uintptr_t joiner = nap_load_relaxed(&fiber->joiner);
	struct nap__joiner *awaits;

	if (joiner == JOINER_NONE || joiner == JOINER_NOBODY)
		return NULL;
	/*
	 * Acquire: sees the joiner's node, as in nap__fiber_end(). The result is published by the
	 * end of the joiner's wait, not by this word [U1]. The word must not become JOINER_ENDED: a
	 * thread that reads it would give the stack, on which @fiber still runs, to another fiber.
	 */
	if (nap_cmpxchg_acquire(&fiber->joiner, joiner, JOINER_NOBODY) != joiner)
		return NULL;
	fiber->awaiter = joiner;
	awaits = (struct nap__joiner *)joiner;
	awaits->result = fiber->result;
	if (!nap__fiber_wait_end_off(&awaits->node, fiber->pool))
		return NULL;
	fiber->awaiter = JOINER_NOBODY;
	return awaits->node.wait->fiber;
}

struct nap_task *nap__direct_end(struct nap__fiber_host *host, struct nap_fiber **awaiter)
{
	struct nap_worker *worker = host->worker;

	*awaiter = NULL;
	if (!may_switch(host) || turn_is_due(worker))
		return NULL;
	*awaiter = take_awaiter(host->fiber);
	if (!*awaiter)
		return direct_next(host);
	before_turn(worker);
	stat_add(&worker->stats.run, 1);
	return NULL;
}
