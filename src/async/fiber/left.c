/* SPDX-License-Identifier: MIT */
/* The last steps when a fiber has left its stack, because it waits, gives way, or has ended. */
#include "arch/atomic.h"
#include "async/fiber/direct.h"
#include "async/fiber/fiber.h"
#include "async/fiber/scope.h"
#include "async/fiber/stacks.h"
#include "async/fiber/wait.h"
#include "os/happens.h"
#include "worker/self.h"
#include "worker/worker.h"

/*
 * Sets the last value of the fiber's joiner word, and returns the value before. The end of a fiber
 * that was awaited becomes JOINER_NOBODY, not JOINER_ENDED: until the awaiter's call has returned,
 * a second call for the fiber must not give the stack back once more.
 */
static uintptr_t joiner_end(struct nap_fiber *fiber)
{
	uintptr_t joiner = nap_load_relaxed(&fiber->joiner), end;

	do {
		if (joiner == JOINER_NOBODY)	/* nobody reads the word of a detached fiber */
			break;
		end = joiner == JOINER_NONE ? JOINER_ENDED : JOINER_NOBODY;
		/*
		 * Release: publishes what the fiber did, to its awaiter. Acquire: sees the
		 * awaiter's node. [U1] If there is no awaiter yet, this is the last touch of the
		 * fiber.
		 */
	} while (!nap_try_cmpxchg_acq_rel(&fiber->joiner, &joiner, end));
	return joiner;
}

static void joiner_notify(struct nap__joiner *joiner, intptr_t result)
{
	joiner->result = result;
	nap__fiber_wait_tell(&joiner->node);
}

/*
 * The stack is given back before the fiber is counted as ended, so that a drain still runs the
 * fibers that wait for a stack. It is also given back before the awaiter, or the end of the scope,
 * is notified, because the notified thread may spawn. The awaiter needs only the result.
 */
void nap__fiber_end(struct nap_fiber *fiber)
{
	struct nap__fibers *fibers = fiber->fibers;
	struct nap_worker *worker = insider(fibers->pool);
	struct nap_scope *scope = fiber->scope;
	intptr_t result = fiber->result;
	uintptr_t joiner;

	trace_object(fibers->pool, NAP_TRACE_FIBER_END, fiber, (uintptr_t)fiber->fn);
	happens_before(&fiber->result);
	if (scope)
		nap__scope_leave(fiber);
	joiner = fiber->awaiter;
	if (joiner == JOINER_NONE)
		joiner = joiner_end(fiber);
	if (joiner != JOINER_NONE)
		nap__stack_give(fibers, worker, fiber);
	if (joiner != JOINER_NONE && joiner != JOINER_NOBODY)
		joiner_notify((struct nap__joiner *)joiner, result);
	if (scope)
		nap__scope_count_out(scope);
	nap__fibers_count_ended(fibers, worker);
}

/*
 * Sets WAIT_OFF in a wait that is open or has just ended. True: the thread that ends the wait
 * schedules the fiber.
 */
static bool fiber_park(struct nap_fiber *fiber)
{
	/* shows a detector what the switch has stored on the stack */
	happens_before(&fiber->wait);
	/*
	 * Release: publishes the stack to the thread that schedules the fiber [A4]. Acquire: sees
	 * what that thread has done [A3].
	 */
	return !(nap_fetch_or_acq_rel(&fiber->wait.state, WAIT_OFF) & WAIT_READY);
}

bool nap__fiber_goes_on(struct nap_fiber *fiber)
{
	if (fiber->yields) {
		fiber->yields = false;
		nap__fiber_ready(fiber);
		return false;
	}
	if (nap_load_relaxed(&fiber->life) != FIBER_ENDED)
		return !fiber_park(fiber);
	nap__fiber_end(fiber);
	return false;
}

void nap__fiber_left(struct nap_fiber *fiber)
{
	if (has_tools() && nap_load_relaxed(&fiber->life) == FIBER_ENDED)
		tools_ended(&fiber->tools);
	if (nap__fiber_goes_on(fiber))
		nap__fiber_ready(fiber);
}
