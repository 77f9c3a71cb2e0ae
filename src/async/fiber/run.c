/* SPDX-License-Identifier: MIT */
/* The task of a fiber: going on with it, until it waits or has ended. src/async/fiber/fiber.h */
#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "async/fiber/scope.h"
#include "async/fiber/stacks.h"
#include "async/fiber/wait.h"
#include "os/happens.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/worker.h"

static void joiner_notify(struct nap__joiner *joiner, intptr_t result)
{
	joiner->result = result;
	nap__wait_tell(&joiner->node);
}

/*
 * The awaiter needs the result only, not the fiber. So the stack is given here: before the fiber is
 * counted, because a drain runs what waits for a stack; and before the awaiter is told, because that
 * one may spawn.
 */
void nap__fiber_end(struct nap_fiber *fiber)
{
	struct nap__fibers *fibers = fiber->fibers;
	struct nap_worker *worker = insider(fibers->pool);
	intptr_t result = fiber->result;
	uintptr_t joiner;

	happens_before(&fiber->result);
	if (fiber->scope)
		nap__scope_leave(fiber);
	/*
	 * Release: what it did, for the thread that awaits it; acquire: that one's node. [U1] If
	 * nobody is there yet that was the last touch.
	 */
	joiner = nap_xchg_acq_rel(&fiber->joiner, JOINER_ENDED);
	if (joiner != JOINER_NONE)
		nap__stack_give(fibers, worker, fiber);
	if (joiner != JOINER_NONE && joiner != JOINER_NOBODY)
		joiner_notify((struct nap__joiner *)joiner, result);
	nap__fibers_count_ended(fibers, worker);
}

/*
 * Its wait is open, or has just ended. True: it is off, and the thread that ends the wait has it go
 * on.
 */
static bool fiber_park(struct nap_fiber *fiber)
{
	/*
	 * Release: the stack, for the thread that schedules it [A4]. Acquire: what has ended the
	 * wait [A3].
	 */
	return !(nap_fetch_or_acq_rel(&fiber->wait.state, WAIT_OFF) & WAIT_READY);
}

void nap__fiber_run(struct nap_task *task)
{
	struct nap_fiber *fiber = nap_container_of(task, struct nap_fiber, task);

	unseen_begin();
	do {
		nap__fiber_enter(fiber);
		if (pool_forked(fiber->pool))
			break;
		if (nap_load_relaxed(&fiber->life) == FIBER_ENDED) {
			nap__fiber_end(fiber);
			break;
		}
		if (fiber->yields) {
			fiber->yields = false;
			nap__fiber_ready(fiber);
			break;
		}
	} while (!fiber_park(fiber));
	unseen_end();
}
