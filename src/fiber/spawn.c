/* SPDX-License-Identifier: MIT */
/* Fibers: spawning, awaiting, detaching, and asking to end. nap/fiber.h */
#include <nap/fiber.h>

#include <errno.h>

#include "atomic.h"
#include "deadline.h"
#include "debug.h"
#include "enter.h"
#include "fiber/fiber.h"
#include "fiber/stacks.h"
#include "fiber/wait.h"
#include "gate.h"
#include "happens.h"
#include "leaving.h"
#include "os.h"
#include "phase.h"
#include "schedule.h"
#include "self.h"
#include "worker.h"

/* The worker or guest of @pool that the caller is, asked in line where there is nothing else. */
static inline struct nap_worker *inside(struct nap_pool *pool)
{
	struct nap_worker *worker = plain_worker(pool);

	return worker ? worker : own_inside(pool);
}

/* ---- spawning */

static struct nap__fibers *sized(struct nap_pool *pool, int *err)
{
	static const struct nap_fibers_config defaults;
	struct nap__fibers *fibers = nap__fibers_of(pool);

	*err = -ENOMEM;
	if (!fibers)
		return NULL;
	if (nap_load_relaxed(&fibers->stacks))
		return fibers;
	*err = nap__stacks_init(fibers, &defaults);
	return *err && *err != -EBUSY ? NULL : fibers;
}

/* A handle's fiber, not queued yet; the caller is inside. */
static struct nap_fiber *make(struct nap__fibers *fibers, struct nap_worker *worker,
			      nap_fiber_fn fn, void *arg)
{
	struct nap_fiber *fiber = nap__stack_take(fibers, worker);

	if (!fiber)
		return NULL;
	nap_task_init(&fiber->task, nap__fiber_run);
	fiber->fn = fn;
	fiber->arg = arg;
	fiber->name[0] = '\0';
	fiber->yields = fiber->left = false;
	fiber->member = NULL;
	nap_store_relaxed(&fiber->handed, false);
	/* The number goes on: who is late with an earlier wait ends none of this fiber's. */
	nap_store_relaxed(&fiber->wait.state, nap_load_relaxed(&fiber->wait.state) & -WAIT_NUMBER);
	nap_store_relaxed(&fiber->life, FIBER_SPAWNED);
	return fiber;
}

/* @worker: the caller in @pool, or NULL: then it has entered the intake. */
static int spawn(struct nap_pool *pool, struct nap_worker *worker, struct nap_fiber **handle,
		 nap_fiber_fn fn, void *arg)
{
	int err;
	struct nap__fibers *fibers = sized(pool, &err);
	struct nap_fiber *fiber;

	if (!fibers)
		return err;
	fiber = make(fibers, worker, fn, arg);
	if (!fiber)
		return -EAGAIN;
	nap_store_relaxed(&fiber->joiner, handle ? JOINER_NONE : JOINER_NOBODY);
	nap__fibers_count_spawned(fibers, worker);
	/* Before it can run, and end: then it is its owner's who has the handle. */
	if (handle)
		*handle = fiber;
	if (nap__schedule_plainly(pool, &fiber->task))
		return 0;
	happens_before(&fiber->task);
	if (!nap__schedule_as(pool, worker, true, &fiber->task, &fiber->task, 1))
		return 0;
	if (handle)
		*handle = NULL;
	nap__stack_give(fibers, worker, fiber);
	nap__fibers_count_ended(fibers, worker);
	return -ESHUTDOWN;
}

int nap_spawn(struct nap_pool *pool, struct nap_fiber **handle, nap_fiber_fn fn, void *arg)
{
	struct nap_worker *worker;
	int err = -ESHUTDOWN;

	if (handle)
		*handle = NULL;
	if (!pool || !fn)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	unseen_begin();
	worker = inside(pool);
	if (worker) {
		if (!pool_stopped_or_forked(pool))
			err = spawn(pool, worker, handle, fn, arg);
	} else if (intake_enter(pool)) {
		err = spawn(pool, NULL, handle, fn, arg);
		gate_leave(&pool->intake);
	}
	unseen_end();
	return err;
}

int nap_fibers_init(struct nap_pool *pool, const struct nap_fibers_config *config)
{
	struct nap__fibers *fibers;
	int err;

	if (!pool || !config)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	unseen_begin();
	if (!intake_enter(pool)) {
		unseen_end();
		return -ESHUTDOWN;
	}
	fibers = nap__fibers_of(pool);
	err = fibers ? nap__stacks_init(fibers, config) : -ENOMEM;
	gate_leave(&pool->intake);
	unseen_end();
	return err;
}

/* ---- its end */

void nap__fiber_end(struct nap_fiber *fiber)
{
	struct nap__fibers *fibers = fiber->fibers;
	struct nap_worker *worker = inside(fibers->pool);
	uintptr_t joiner;

	happens_before(&fiber->result);
	/*
	 * Release: what it did, for who awaits it; acquire: that one's node. [U1] If nobody is there
	 * yet that was the last touch.
	 */
	joiner = nap_xchg_acq_rel(&fiber->joiner, JOINER_ENDED);
	if (joiner == JOINER_NOBODY)
		nap__stack_give(fibers, worker, fiber);
	else if (joiner != JOINER_NONE)
		nap__wait_tell((struct nap__wait_node *)joiner);
	nap__fibers_count_ended(fibers, worker);
}

/* ---- awaiting */

/*
 * It has ended: the result, and the handle is no more. Apart: behind a wait a fiber may have come to
 * another worker.
 */
static __attribute__((noinline)) void take_result(struct nap_fiber *fiber, intptr_t *result)
{
	happens_after(&fiber->result);
	if (result)
		*result = fiber->result;
	nap__stack_give(fiber->fibers, inside(fiber->pool), fiber);
}

static bool has_ended(struct nap_fiber *fiber)
{
	return nap_load_acquire(&fiber->joiner) == JOINER_ENDED;	/* pairs with its end [U1] */
}

/* List the caller's @node. 0, -EALREADY: the fiber has ended; -EBUSY. */
static int list(struct nap_fiber *fiber, struct nap__wait_node *node)
{
	/* Release: the node; acquire: what the fiber has done. [U1] */
	uintptr_t was = nap_cmpxchg_acq_rel(&fiber->joiner, JOINER_NONE, (uintptr_t)node);

	if (was == JOINER_NONE)
		return 0;
	return was == JOINER_ENDED ? -EALREADY : -EBUSY;
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
	if (!err)
		return 0;
	if (nap_cmpxchg_acquire(&fiber->joiner, (uintptr_t)&node, JOINER_NONE) == (uintptr_t)&node)
		return err;	/* [U1] */
	/* It has ended after all. */
	nap__wait_node_await(&node);
	return 0;
}

static int await(struct nap_fiber *fiber, intptr_t *result, uint64_t deadline)
{
	int err = 0;

	if (!has_ended(fiber))
		err = deadline_passed(deadline) ? -ETIMEDOUT : await_end(fiber, deadline);
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
	outside = !inside(pool);
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
	worker = inside(pool);
	if (!worker && !visits_enter(pool)) {
		unseen_end();
		return -ESHUTDOWN;
	}
	was = nap_cmpxchg_acquire(&fiber->joiner, JOINER_NONE, JOINER_NOBODY);	/* [U1] */
	if (was == JOINER_ENDED)
		take_result(fiber, NULL);
	if (!worker)
		gate_leave(&pool->visits);
	unseen_end();
	return was == JOINER_NONE || was == JOINER_ENDED ? 0 : -EBUSY;
}

/* ---- asking it to end */

int nap_fiber_cancel(struct nap_fiber *fiber)
{
	uint32_t word;

	if (!fiber)
		return -EINVAL;
	unseen_begin();
	word = nap_fetch_or_relaxed(&fiber->wait.state, WAIT_ASKED) | WAIT_ASKED;
	if ((word & WAIT_OPEN) && !(word & WAIT_SHIELDED))
		nap__wait_end(&fiber->wait, word, WAIT_CANCELED);
	unseen_end();
	return 0;
}

/* ---- the calling fiber */

/* Wherever it is in the middle of what; not of a task that is run on its stack. */
struct nap_fiber *nap_fiber_self(void)
{
	struct nap__self *self = nap__self();

	return self->outer ? NULL : self->fiber;
}

bool nap_fiber_canceled(void)
{
	struct nap_fiber *fiber = nap_fiber_self();

	return fiber && (nap_load_relaxed(&fiber->wait.state) & WAIT_ASKED);
}

bool nap_fiber_shield(bool shielded)
{
	struct nap_fiber *fiber = nap_fiber_self();
	uint32_t word;

	if (!fiber)
		return false;
	word = shielded ? nap_fetch_or_relaxed(&fiber->wait.state, WAIT_SHIELDED) :
			  nap_fetch_and_relaxed(&fiber->wait.state, ~WAIT_SHIELDED);
	return word & WAIT_SHIELDED;
}

void nap_yield(void)
{
	struct nap_fiber *fiber;

	unseen_begin();
	fiber = nap__fiber_waiting();
	if (!fiber)
		nap__os_yield();
	else if (!pool_stopped_or_forked(fiber->pool))
		nap__fiber_yield(fiber);
	unseen_end();
}
