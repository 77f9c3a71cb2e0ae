/* SPDX-License-Identifier: MIT */
/* Fibers: awaiting and detaching them. nap/fiber.h */
#include <nap/fiber.h>

#include <errno.h>

#include "atomic.h"
#include "deadline.h"
#include "enter.h"
#include "fiber/fiber.h"
#include "fiber/stacks.h"
#include "fiber/wait.h"
#include "gate.h"
#include "happens.h"
#include "leaving.h"
#include "phase.h"
#include "self.h"
#include "worker.h"

/*
 * It has ended: the result, and the handle is no more. Apart: behind a wait a fiber may have come to
 * another worker.
 */
static __attribute__((noinline)) void take_result(struct nap_fiber *fiber, intptr_t *result)
{
	happens_after(&fiber->result);
	if (result)
		*result = fiber->result;
	nap__stack_give(fiber->fibers, insider(fiber->pool), fiber);
}

static bool has_ended(struct nap_fiber *fiber)
{
	return nap_load_acquire(&fiber->joiner) == JOINER_ENDED;	/* pairs with its end [U1] */
}

/* List the caller's @node. 0, -EALREADY: the fiber has ended; -EBUSY. */
static int list(struct nap_fiber *fiber, struct nap__wait_node *node)
{
	/* Pairs with its end: the node. [U1] */
	if (nap_cmpxchg_release(&fiber->joiner, JOINER_NONE, (uintptr_t)node) == JOINER_NONE)
		return 0;
	/* Looked at anew: a compare-exchange that fails orders nothing. */
	return has_ended(fiber) ? -EALREADY : -EBUSY;
}

/* 0: the fiber has ended. */
static int await_end(struct nap_fiber *fiber, uint64_t deadline)
{
	struct nap__sleeper sleeper;
	struct nap__wait_node node;
	int err;

	err = nap__sleeper_begin(&sleeper, fiber->pool);
	if (err)
		return err;
	wait_node_init(&node, &sleeper);
	err = list(fiber, &node);
	if (err) {
		nap__sleeper_withdraw(&sleeper);
		return err == -EALREADY ? 0 : err;
	}
	err = nap__sleep(&sleeper, deadline);
	if (err && nap_cmpxchg_relaxed(&fiber->joiner, (uintptr_t)&node,
				       JOINER_NONE) != (uintptr_t)&node) {
		/* It has ended after all. */
		nap__wait_node_await(&node);
		err = 0;
	}
	is_given(&sleeper, sizeof(sleeper));
	is_given(&node, sizeof(node));
	return err;
}

static int await(struct nap_fiber *fiber, intptr_t *result, uint64_t deadline)
{
	int err = 0;

	if (!has_ended(fiber))
		err = deadline_passed(deadline) ? nap__timed_out() : await_end(fiber, deadline);
	if (!err)
		take_result(fiber, result);
	return err;
}

/* Whoever comes from outside is a visitor meanwhile, so that the joiner waits until it is gone. */
int nap_await_for(struct nap_fiber *fiber, intptr_t *result, uint64_t timeout_ns)
{
	struct nap_pool *pool;
	bool outside;
	int err;

	if (!fiber)
		return -EINVAL;
	if (fiber == nap_fiber_self())
		return -EDEADLK;
	nothing_leaves();
	unseen_begin();
	pool = fiber->pool;
	outside = !insider(pool);
	if (outside && !visits_enter(pool)) {
		unseen_end();
		return -ESHUTDOWN;
	}
	err = await(fiber, result, deadline_after(timeout_ns));
	if (outside && !pool_forked(pool))
		gate_leave(&pool->visits);
	unseen_end();
	return err;
}

int nap_await(struct nap_fiber *fiber, intptr_t *result)
{
	return nap_await_for(fiber, result, NAP_FOREVER);
}

int nap_detach(struct nap_fiber *fiber)
{
	struct nap_worker *worker;
	struct nap_pool *pool;
	uintptr_t was;

	if (!fiber)
		return -EINVAL;
	unseen_begin();
	pool = fiber->pool;
	worker = insider(pool);
	if (!worker && !visits_enter(pool)) {
		unseen_end();
		return -ESHUTDOWN;
	}
	was = nap_cmpxchg_relaxed(&fiber->joiner, JOINER_NONE, JOINER_NOBODY);
	if (was == JOINER_ENDED && has_ended(fiber))	/* behind which what it did is seen */
		take_result(fiber, NULL);
	if (!worker)
		gate_leave(&pool->visits);
	unseen_end();
	return was == JOINER_NONE || was == JOINER_ENDED ? 0 : -EBUSY;
}
