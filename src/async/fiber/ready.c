/* SPDX-License-Identifier: MIT */
/* Scheduling a fiber whose wait has ended: src/async/fiber/fiber.h. */
#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "os/happens.h"
#include "sched/schedule.h"
#include "sync/gate.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/worker.h"

/* Lets go of a fiber that is in no queue: after a stop the joiner waits for this store. */
static void ready_let_go(struct nap_fiber *fiber)
{
	/* pairs with the acquire in own(), stop.c [A9] */
	nap_store_release(&fiber->handed, true);
}

static void ready_schedule(struct nap_pool *pool, struct nap_worker *worker,
			   struct nap_fiber *fiber)
{
	struct nap_task *task = &fiber->task;

	happens_before(task);
	if (nap__schedule_as(pool, worker, true, task, task, 1))
		ready_let_go(fiber);
}

/* Out of line, so that the fast path saves no registers. */
static __attribute__((noinline)) void ready_slow(struct nap_fiber *fiber, struct nap_pool *pool)
{
	struct nap_worker *worker = own_inside(pool);

	if (worker) {
		ready_schedule(pool, worker, fiber);
	} else if (!pool_forked(pool) && gate_enter(&pool->visits)) {
		/*
		 * As soon as the fiber is queued it may end, and the pool may be freed: so visit
		 * the pool.
		 */
		ready_schedule(pool, NULL, fiber);
		gate_leave(&pool->visits);
	} else {
		ready_let_go(fiber);
	}
}

void nap__fiber_ready(struct nap_fiber *fiber)
{
	struct nap_pool *pool = fiber->pool;

	if (!nap__schedule_plainly(pool, &fiber->task))
		ready_slow(fiber, pool);
}

struct nap_task *nap__fiber_take(struct nap_fiber *fiber)
{
	happens_before(&fiber->task);
	return &fiber->task;
}
