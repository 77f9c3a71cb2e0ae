/* SPDX-License-Identifier: MIT */
/*
 * Fibers for the model checker: each fiber is a thread of the scenario, which sleeps where a
 * fiber would leave its stack, and goes on where a worker would run the fiber. This file stands
 * in place of src/async/fiber/switch.c, waiting.c and ready.c; to be included once.
 */
#ifndef MODEL_FIBER_SETUP_H
#define MODEL_FIBER_SETUP_H

#include "async/fiber/fiber.h"
#include "async/fiber/stacks.h"
#include "sync/event.h"
#include "pool_setup.h"

static struct model_fiber {
	struct nap_fiber fiber;
	uint32_t event;
	/*
	 * Written before the fiber leaves its stack, and by the thread that resumes it. Stands for
	 * the stack, so it is not atomic.
	 */
	int left;
	bool is_one;
} fibers[CHECK_THREADS + 1];

/* Setup: thread @number is a fiber of the pool. */
static inline void fiber_is(unsigned number)
{
	struct nap_fiber *fiber = &fibers[number].fiber;

	fiber->pool = pool;
	fiber->fibers = nap__fibers_of(pool);
	fiber->wait.fiber = fiber;
	fibers[number].is_one = true;
	seam_in_fiber(number, fiber);
	check_name(&fiber->wait.state, sizeof(fiber->wait.state), "fiber.wait");
	check_name(&fiber->joiner, sizeof(fiber->joiner), "fiber.joiner");
	check_name(&fibers[number].event, sizeof(fibers[number].event), "fiber.event");
}

struct nap_fiber *nap__fiber_waiting(void)
{
	return fibers[check_self()].is_one ? &fibers[check_self()].fiber : NULL;
}

/* Leaves the stack, as nap__fiber_suspend() and nap__fiber_run() do together. */
void nap__fiber_suspend(struct nap_fiber *fiber)
{
	struct model_fiber *f = nap_container_of(fiber, struct model_fiber, fiber);

	if (nap_load_acquire(&fiber->wait.state) & WAIT_READY)
		return;
	f->left = 1;
	if (!(nap_fetch_or_acq_rel(&fiber->wait.state, WAIT_OFF) & WAIT_READY))
		event_wait(&f->event, EVENT_LATCH, UINT64_MAX);
}

void nap__fiber_ready(struct nap_fiber *fiber)
{
	struct model_fiber *f = nap_container_of(fiber, struct model_fiber, fiber);

	CHECK(f->left);
	f->left = 0;
	event_set(&f->event, EVENT_LATCH);
}

struct nap_task *nap__fiber_take(struct nap_fiber *fiber)
{
	nap__fiber_ready(fiber);
	return NULL;
}

/* Fails when called: here no worker runs a fiber's stack. */
struct nap_fiber *nap__fiber_enter(struct nap_fiber *fiber, struct nap_task **next)
{
	(void)next;
	CHECK(false);
	return fiber;
}

/* the yield, in scenarios whose fibers yield */
static void (*fiber_yields)(struct nap_fiber *fiber);

void nap__fiber_yield(struct nap_fiber *fiber)
{
	CHECK(fiber_yields);
	fiber_yields(fiber);
}

#endif /* MODEL_FIBER_SETUP_H */
