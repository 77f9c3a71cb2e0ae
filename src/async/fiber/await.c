/* SPDX-License-Identifier: MIT */
/* Awaiting and detaching fibers: nap/fiber.h */
#include <nap/fiber.h>

#include <errno.h>

#include "arch/atomic.h"
#include "async/fiber/budget.h"
#include "async/fiber/fiber.h"
#include "async/fiber/foreign.h"
#include "async/fiber/stacks.h"
#include "async/fiber/wait.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "sync/debug.h"
#include "sync/gate.h"
#include "worker/enter.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/worker.h"

/*
 * In this file @visit keeps the awaited fiber's pool from ending (src/async/fiber/foreign.h). A
 * @visit is NULL if the caller is a plain_worker() of this pool, and so is inside it anyway.
 */

/*
 * Gives back the stack of @fiber, which has ended; the handle is no longer valid. Out of line, so
 * that insider() reads the thread's state again: after a wait the calling fiber may be on another
 * worker.
 */
static __attribute__((noinline)) void fiber_let_go(struct nap_fiber *fiber)
{
	nap__stack_give(fiber->fibers, insider(fiber->pool), fiber);
}

static void take_result(struct nap_fiber *fiber, intptr_t *result)
{
	happens_after(&fiber->result);
	if (result)
		*result = fiber->result;
	fiber_let_go(fiber);
}

/*
 * Takes the handle of a fiber that has ended. True: the caller has to call take_result(). False:
 * the fiber has not ended, or another call has its handle.
 */
static bool take_ended(struct nap_fiber *fiber)
{
	if (nap_load_relaxed(&fiber->joiner) != JOINER_ENDED)
		return false;
	/* Sees what the fiber has done: pairs with nap__fiber_end(). [U1] */
	return nap_cmpxchg_acquire(&fiber->joiner, JOINER_ENDED, JOINER_NOBODY) == JOINER_ENDED;
}

/*
 * Lists the caller. Returns 0; -EALREADY: the fiber has ended, and the caller has its handle;
 * -EBUSY: another call awaits the fiber, or has its handle.
 */
static int joiner_list(struct nap_fiber *fiber, struct nap__joiner *joiner)
{
	/* The joiner's node is written before this: pairs with nap__fiber_end(). [U1] */
	if (nap_cmpxchg_release(&fiber->joiner, JOINER_NONE, (uintptr_t)joiner) == JOINER_NONE)
		return 0;
	/* A failed compare-exchange orders nothing, so take_ended() reads the word once more. */
	return take_ended(fiber) ? -EALREADY : -EBUSY;
}

/*
 * Removes @joiner, whose wait has ended for another reason than the fiber's end. True: @joiner is
 * no longer listed. False: the fiber has ended first.
 */
static bool joiner_take_out(struct nap_fiber *fiber, const struct nap__visit *visit,
			    struct nap__joiner *joiner)
{
	/* If the pool has ended, the fiber's memory may be gone. */
	if (visit && (visit->taken_out || !visit->pool))
		return visit->taken_out;
	return nap_cmpxchg_relaxed(&fiber->joiner, (uintptr_t)joiner, JOINER_NONE) ==
	       (uintptr_t)joiner;
}

/* Sleeps. With a @visit, the end of the awaited fiber's pool removes @joiner from the fiber. */
IN_LINE int sleep_visiting(struct nap_fiber *fiber, struct nap__visit *visit,
				  struct nap__sleeper *sleeper, struct nap__joiner *joiner,
				  uint64_t deadline)
{
	if (!visit)
		return nap__sleep(sleeper, deadline);
	visit->joiner = &fiber->joiner;
	visit->listed = (uintptr_t)joiner;
	return foreign_sleep(visit, sleeper, deadline);
}

/*
 * Sleeps, with @joiner listed. Returns 0: @joiner has the result, and another fiber may already
 * have the stack of @fiber.
 */
IN_LINE int joiner_sleep(struct nap_fiber *fiber, struct nap__visit *visit,
			 struct nap__sleeper *sleeper, struct nap__joiner *joiner,
			 uint64_t deadline)
{
	int err = sleep_visiting(fiber, visit, sleeper, joiner, deadline);

	if (!err)
		return 0;
	/* In the child of a fork no thread lets go of the joiner of a fiber that ends. */
	if (err == -ESHUTDOWN)
		return err;
	if (joiner_take_out(fiber, visit, joiner))
		/* the fiber's pool was stopped: in a drain the fiber would have run to its end */
		return err == FOREIGN_ENDS ? -ECANCELED : err;
	nap__fiber_wait_node_await(&joiner->node);
	return 0;
}

/* Waits. Returns as joiner_sleep(), or -EALREADY: take_ended() was true. */
IN_LINE int await_by_wait(struct nap_fiber *fiber, struct nap__visit *visit,
			  intptr_t *result, uint64_t deadline)
{
	struct nap__sleeper sleeper;
	struct nap__joiner joiner;
	int err = nap__sleeper_begin(&sleeper, fiber->pool);

	if (err)
		return err;
	sleeper_waits_for(&sleeper, NAP_TRACE_ON_FIBER, fiber);
	wait_node_init(&joiner.node, &sleeper);
	err = joiner_list(fiber, &joiner);
	if (err) {
		nap__sleeper_withdraw(&sleeper);
		return err;
	}
	err = joiner_sleep(fiber, visit, &sleeper, &joiner, deadline);
	if (!err) {
		happens_after(&fiber->result);
		if (result)
			*result = joiner.result;
	}
	is_given(&sleeper, sizeof(sleeper));
	is_given(&joiner, sizeof(joiner));
	return err;
}

IN_LINE int fiber_await(struct nap_fiber *fiber, struct nap__visit *visit, intptr_t *result,
			uint64_t deadline)
{
	int err = -EALREADY;

	if (!take_ended(fiber))
		err = deadline_passed(deadline) ? nap__timed_out() :
						  await_by_wait(fiber, visit, result, deadline);
	if (err != -EALREADY)
		return err;
	take_result(fiber, result);
	return 0;
}

/*
 * Reports an invalid handle, also that of a fiber that has ended in another call's await. (If a
 * later fiber has the stack, this call is not noticed, and the later fiber's own awaiter is
 * reported.)
 */
static void debug_handle(struct nap_fiber *fiber, const char *call, void *caller)
{
	if (DEBUG_BUILD && (nap_load_relaxed(&fiber->life) == FIBER_FREE ||
			    nap_load_relaxed(&fiber->joiner) == JOINER_NOBODY))
		nap__os_panic(caller, "%s: fiber %p was awaited, or detached, before", call,
			      (void *)fiber);
}

/*
 * Awaits as a visitor of the fiber's pool, so that a thread that joins the pool waits until the
 * caller has left it.
 */
static __attribute__((noinline)) int enter_and_await(struct nap_fiber *fiber, intptr_t *result,
						     uint64_t deadline)
{
	/* Not noticed in tests when 1 for 0: the first member is set below. */
	struct nap__visit visit = { 0 };
	int err;

	nothing_leaves();
	unseen_begin();
	visit.pool = fiber->pool;
	visit.inside = !insider(visit.pool);
	if (visit.inside && !visits_enter(visit.pool)) {
		unseen_end();
		return -ESHUTDOWN;
	}
	err = fiber_await(fiber, &visit, result, deadline);
	if (visit.inside && !pool_forked(visit.pool))
		gate_leave(&visit.pool->visits);
	unseen_end();
	return err;
}

/*
 * Awaits @fiber. A plain_worker() need not visit the pool. Out of line, so that the thread's state
 * is read again: the caller may have given way in may_await(), and be on another thread.
 */
static __attribute__((noinline)) int await_from(struct nap_fiber *fiber, intptr_t *result,
						uint64_t deadline)
{
	nothing_leaves();
	if (!plain_worker(fiber->pool))
		return enter_and_await(fiber, result, deadline);
	return fiber_await(fiber, NULL, result, deadline);
}

/* Whether the caller is on the stack of @fiber, also in a frame of the worker's there. */
static inline bool is_caller(const struct nap_fiber *fiber)
{
	return nap__self()->fiber == fiber;
}

static __attribute__((noinline)) void give_way(void)
{
	nothing_leaves();
	unseen_begin();
	nap__budget_spent();
	unseen_end();
}

/*
 * Returns 0 or an error. @deadline 0: only poll. The caller may give way here, and be on another
 * thread afterwards.
 */
IN_LINE int may_await(struct nap_fiber *fiber, uint64_t deadline, const char *call, void *caller)
{
	if (!fiber)
		return -EINVAL;
	if (is_caller(fiber))
		return -EDEADLK;
	debug_handle(fiber, call, caller);
	if (deadline && budget_is_spent())
		give_way();
	return 0;
}

int nap_await_until(struct nap_fiber *fiber, intptr_t *result, uint64_t deadline)
{
	int err = may_await(fiber, deadline, __func__, __builtin_return_address(0));

	return err ? err : await_from(fiber, result, deadline);
}

int nap_await_for(struct nap_fiber *fiber, intptr_t *result, uint64_t timeout_ns)
{
	uint64_t deadline = deadline_after(timeout_ns);
	int err = may_await(fiber, deadline, __func__, __builtin_return_address(0));

	return err ? err : await_from(fiber, result, deadline);
}

int nap_await(struct nap_fiber *fiber, intptr_t *result)
{
	int err = may_await(fiber, NAP_FOREVER, __func__, __builtin_return_address(0));

	return err ? err : await_from(fiber, result, NAP_FOREVER);
}

int nap_detach(struct nap_fiber *fiber)
{
	struct nap_worker *worker;
	struct nap_pool *pool;
	int err = 0;

	if (!fiber)
		return -EINVAL;
	debug_handle(fiber, __func__, __builtin_return_address(0));
	unseen_begin();
	pool = fiber->pool;
	worker = insider(pool);
	if (!worker && !visits_enter(pool)) {
		unseen_end();
		return -ESHUTDOWN;
	}
	if (nap_cmpxchg_relaxed(&fiber->joiner, JOINER_NONE, JOINER_NOBODY) != JOINER_NONE) {
		/* take_ended() acquires what the fiber has done */
		if (take_ended(fiber))
			take_result(fiber, NULL);
		else
			err = -EBUSY;
	}
	if (!worker)
		gate_leave(&pool->visits);
	unseen_end();
	return err;
}
