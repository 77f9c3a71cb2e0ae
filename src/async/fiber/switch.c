/* SPDX-License-Identifier: MIT */
/*
 * Switching to a fiber's stack, and leaving it: src/async/fiber/fiber.h.
 *
 * struct nap__self (src/worker/self.h) stays with the thread. On the fiber's stack self->outer is
 * NULL, as long as no frame of nap's lies there that has to return before the fiber may leave.
 */
#include "arch/atomic.h"
#include "async/fiber/budget.h"
#include "async/fiber/fiber.h"
#include "async/fiber/stacks.h"
#include "context.h"
#include "os/happens.h"
#include "os/os.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/worker.h"

/* ---- the fiber's side */

__attribute__((noinline)) struct nap_fiber *nap__fiber_waiting(void)
{
	struct nap__self *self = nap__self();
	struct nap_fiber *fiber = self->fiber;

	if (!fiber || self->outer || !self->worker)
		return NULL;
	if (nap_top(self->worker) != fiber->top || self->worker->sections != fiber->sections)
		return NULL;
	return fiber;
}

/* Out of line: what was read of the thread before the switch is not used after it. */
static __attribute__((noinline)) void leave_stack(struct nap_fiber *fiber)
{
	tools_leave(&fiber->tools);
	nap__context_switch(&fiber->sp, fiber->caller_sp);
	tools_arrive(&fiber->tools);
}

void nap__fiber_suspend(struct nap_fiber *fiber)
{
	/* Pairs with the thread that ends the wait: what that thread has done. [A3] */
	if (!(nap_load_acquire(&fiber->wait.state) & WAIT_READY))
		leave_stack(fiber);
}

void nap__fiber_yield(struct nap_fiber *fiber)
{
	fiber->yields = true;
	leave_stack(fiber);
}

static void fiber_main(void *arg)
{
	struct nap_fiber *fiber = arg;

	nothing_leaves();
	tools_arrive(&fiber->tools);
	unseen_end();
	fiber->result = fiber->fn(fiber->arg);
	unseen_begin();
	nap_store_relaxed(&fiber->life, FIBER_ENDED);
	tools_end(&fiber->tools);
	nap__context_switch(&fiber->sp, fiber->caller_sp);
	__builtin_unreachable();
}

/* ---- the thread's side */

/* The thread's state before, restored when the fiber leaves its stack. */
struct thread_before {
	struct nap_fiber *fiber;
	struct nap__outer *outer;
	uintptr_t stack_half;
};

static void go_in(struct nap_fiber *fiber, struct thread_before *before)
{
	struct nap__self *self = nap__self();
	struct nap_worker *worker = self->worker;

	*before = (struct thread_before){ self->fiber, self->outer, self->stack_half };
	self->fiber = fiber;
	self->outer = NULL;
	self->budget = BUDGET_FULL;
	if (!nesting_is_off(self))
		self->stack_half = fiber->half;
	fiber->top = nap_top(worker);
	fiber->sections = worker->sections;
	nap__os_thread_state_swap(&fiber->os);
}

/* Restores the thread. In the child of a fork made by the fiber, the thread has left the pool. */
static void go_out(struct nap_fiber *fiber, const struct thread_before *before)
{
	struct nap__self *self = nap__self();

	nap__os_thread_state_swap(&fiber->os);
	self->stack_half = before->stack_half;
	if (pool_forked(fiber->pool)) {
		self->fiber = NULL;
		return;
	}
	self->fiber = before->fiber;
	self->outer = before->outer;
}

/* Makes the first frame of a fiber that runs for the first time. */
static void fiber_begin(struct nap_fiber *fiber)
{
	const char *low = nap__stack_low(fiber->fibers, fiber);

	nap_store_relaxed(&fiber->life, FIBER_BEGUN);
	fiber->os = (struct nap__os_thread_state){ 0 };
	tools_begin(&fiber->tools, low, (size_t)((const char *)fiber - low));
	fiber->sp = nap__context_make((void *)((uintptr_t)fiber & ~(uintptr_t)15), fiber_main, fiber);
}

void nap__fiber_enter(struct nap_fiber *fiber)
{
	struct thread_before before;

	if (nap_load_relaxed(&fiber->life) == FIBER_SPAWNED)
		fiber_begin(fiber);
	go_in(fiber, &before);
	if (has_tools()) {
		const char *low = nap__stack_low(fiber->fibers, fiber);

		tools_enter(&fiber->tools, low, (size_t)((const char *)fiber - low));
	}
	nap__context_switch(&fiber->caller_sp, fiber->sp);
	tools_return(&fiber->tools, nap_load_relaxed(&fiber->life) == FIBER_ENDED);
	go_out(fiber, &before);
}
