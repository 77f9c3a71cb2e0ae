/* SPDX-License-Identifier: MIT */
/* The task of a fiber, which runs the fiber until it waits or has ended. src/async/fiber/fiber.h */
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
	nap__fiber_wait_tell(&joiner->node);
}

/*
 * The awaiter needs only the result, not the fiber. So the stack is given back here: before the
 * fiber is counted as ended, because a drain runs the fibers that wait for a stack; and before the
 * awaiter is notified, because the awaiter may spawn.
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
	 * Release: what the fiber did, for its awaiter. Acquire: the awaiter's node. [U1] Without
	 * an awaiter yet, this is the last touch of the fiber.
	 */
	joiner = nap_xchg_acq_rel(&fiber->joiner, JOINER_ENDED);
	if (joiner != JOINER_NONE)
		nap__stack_give(fibers, worker, fiber);
	if (joiner != JOINER_NONE && joiner != JOINER_NOBODY)
		joiner_notify((struct nap__joiner *)joiner, result);
	nap__fibers_count_ended(fibers, worker);
}

/*
 * Sets OFF; the wait is open, or has just ended. True: the thread that ends the wait schedules the
 * fiber.
 */
static bool fiber_park(struct nap_fiber *fiber)
{
	happens_before(&fiber->wait);	/* a detector sees what the switch has stored on the stack */
	/*
	 * Release: the stack, for the thread that schedules the fiber [A4]. Acquire: what that
	 * thread has done [A3].
	 */
	return !(nap_fetch_or_acq_rel(&fiber->wait.state, WAIT_OFF) & WAIT_READY);
}

void nap__fiber_run(struct nap_task *task)
{
	struct nap_fiber *fiber = nap_container_of(task, struct nap_fiber, task);

	unseen_begin();
	happens_after(&fiber->wait);
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
