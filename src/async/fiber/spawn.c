/* SPDX-License-Identifier: MIT */
/* Spawning fibers: nap/fiber.h */
#include <nap/fiber.h>

#include <errno.h>

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "async/fiber/make.h"
#include "async/fiber/scope.h"
#include "async/fiber/stacks.h"
#include "os/happens.h"
#include "sched/schedule.h"
#include "sync/debug.h"
#include "sync/gate.h"
#include "worker/enter.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/worker.h"

/*
 * Makes a fiber, which is not queued yet. NULL: there is no stack. The caller is inside the pool.
 */
static inline __attribute__((always_inline)) struct nap_fiber *spawn_make(
	struct nap__fibers *fibers, struct nap_worker *worker, nap_fiber_fn fn, void *arg)
{
	struct nap_fiber *fiber;

	if (!tools_may_spawn())
		return NULL;
	fiber = nap__stack_take(fibers, worker);
	if (!fiber) {
		tools_unbegun();
		return NULL;
	}
	fiber_make(fiber, fn, arg);
	return fiber;
}

/* @worker: the caller, a worker of @pool; NULL: the caller has entered the intake. */
static inline __attribute__((always_inline)) int spawn_inside(struct nap_pool *pool,
	struct nap_worker *worker, struct nap_fiber **handle, struct nap_scope *scope,
	nap_fiber_fn fn, void *arg)
{
	int err;
	struct nap__fibers *fibers = fibers_sized(pool, &err);
	struct nap_fiber *fiber;

	if (!fibers)
		return err;
	fiber = spawn_make(fibers, worker, fn, arg);
	if (!fiber)
		return -EAGAIN;
	if (scope && !nap__scope_enter(scope, fiber)) {
		tools_unbegun();
		nap__stack_give(fibers, worker, fiber);
		return -ECANCELED;
	}
	nap_store_relaxed(&fiber->joiner, handle ? JOINER_NONE : JOINER_NOBODY);
	nap__fibers_count_spawned(fibers, worker);
	trace_object(pool, NAP_TRACE_FIBER_SPAWN, fiber, (uintptr_t)fn);
	/*
	 * Stored before the fiber can run, because the fiber may give *@handle to a thread that
	 * awaits it.
	 */
	if (handle)
		*handle = fiber;
	if (nap__schedule_plainly(pool, &fiber->task))
		return 0;
	happens_before(&fiber->task);
	if (!nap__schedule_as(pool, worker, true, &fiber->task, &fiber->task, 1))
		return 0;
	if (handle)
		*handle = NULL;
	fiber->result = 0;	/* Not noticed in tests when 1 for 0: that is no failure either. */
	if (scope)
		nap__scope_leave(fiber);
	tools_unbegun();
	trace_object(pool, NAP_TRACE_FIBER_END, fiber, (uintptr_t)fn);
	nap__stack_give(fibers, worker, fiber);
	if (scope)
		nap__scope_count_out(scope);
	nap__fibers_count_ended(fibers, worker);
	return -ESHUTDOWN;
}

static inline __attribute__((always_inline)) int enter_and_spawn(struct nap_pool *pool,
	struct nap_fiber **handle, struct nap_scope *scope, nap_fiber_fn fn, void *arg)
{
	struct nap_worker *worker;
	int err = -ESHUTDOWN;

	unseen_begin();
	worker = insider(pool);
	if (worker ? !pool_stopped_or_forked(pool) : intake_enter(pool)) {
		err = spawn_inside(pool, worker, handle, scope, fn, arg);
		if (!worker)
			gate_leave(&pool->intake);
	}
	unseen_end();
	return err;
}

int nap_spawn(struct nap_pool *pool, struct nap_fiber **handle, nap_fiber_fn fn, void *arg)
{
	if (handle)
		*handle = NULL;
	if (!pool || !fn)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	return enter_and_spawn(pool, handle, NULL, fn, arg);
}

int nap_scope_spawn(struct nap_scope *scope, nap_fiber_fn fn, void *arg)
{
	if (!scope || !fn)
		return -EINVAL;
	debug_pool(scope->pool, __func__, __builtin_return_address(0));
	return enter_and_spawn(scope->pool, NULL, scope, fn, arg);
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
