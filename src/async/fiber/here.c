/* SPDX-License-Identifier: MIT */
/*
 * Running a fiber, and the rest of its pool, on the calling thread: nap/here.h. The thread is a
 * guest (src/sched/guest.h) that awaits the fiber. So the thread runs queued tasks, polls for
 * timers and files, and sleeps, as a worker does. A fiber of the pool only awaits the other fiber.
 */
#include <nap/here.h>

#include <errno.h>

#include <nap/call.h>

#include "async/fiber/budget.h"
#include "async/fiber/fiber.h"
#include "os/happens.h"
#include "sync/debug.h"

struct here {
	struct nap_pool *pool;
	nap_fiber_fn fn;
	void *arg;
	intptr_t *result;
	int err;
};

/* Counts a call that nap_await() does not count, because there is no fiber to await. */
static void not_awaited(void)
{
	unseen_begin();
	nap__budget_spend();
	unseen_end();
}

static void run_here(struct nap_worker *worker, void *arg)
{
	struct here *here = arg;
	struct nap_fiber *fiber;

	(void)worker;
	here->err = nap_spawn(here->pool, &fiber, here->fn, here->arg);
	if (here->err) {
		not_awaited();
		return;
	}
	here->err = nap_await(fiber, here->result);
	/* The handle is not needed: the pool's joiner ends the fiber, or has ended it. */
	if (here->err)
		nap_detach(fiber);
}

/* Whether the caller is a fiber of @pool that may leave its stack. */
static bool waits_as_fiber(struct nap_pool *pool)
{
	struct nap_fiber *fiber;

	unseen_begin();
	fiber = nap__fiber_waiting();
	unseen_end();
	return fiber && fiber->pool == pool;
}

int nap_run(struct nap_pool *pool, nap_fiber_fn fn, void *arg, intptr_t *result)
{
	struct here here = { pool, fn, arg, result, 0 };
	int err = 0;

	if (!pool || !fn)
		return -EINVAL;
	debug_aligned(pool, __func__, __builtin_return_address(0));
	if (waits_as_fiber(pool))
		run_here(NULL, &here);
	else
		err = nap_call(pool, run_here, &here);
	return err ? err : here.err;
}
