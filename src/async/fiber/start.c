/* SPDX-License-Identifier: MIT */
/*
 * Fibers that take their stack when their task begins: nap/fiber.h. Typically the worker that runs
 * the task has a free stack, and the fiber begins at once. If no stack is free the task waits in a
 * list: src/async/fiber/starts.c.
 */
#include <nap/fiber.h>

#include <errno.h>

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "async/fiber/make.h"
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
 * Queues @task again, because ThreadSanitizer can have no more fibers now, and the end of another
 * pool's fiber notifies no thread of this pool.
 */
static void try_again(struct nap_pool *pool, struct nap_worker *worker, struct nap_task *task)
{
	happens_before(task);
	if (nap__schedule_behind(pool, worker, task))
		nap__schedule_left(pool, task);
}

/* Returns the fiber, for the caller to run. NULL: the fiber cannot begin yet. */
static struct nap_fiber *start_begin(struct nap__fibers *fibers, struct nap_worker *worker,
				     struct nap_fiber_start *start)
{
	struct nap_fiber *fiber = start->stack;

	if (!tools_may_spawn()) {
		try_again(fibers->pool, worker, &start->task);
		return NULL;
	}
	if (!fiber) {
		/* Tasks that already wait for a stack come first. */
		if (!nap_load_relaxed(&fibers->async.starts))
			fiber = nap__stack_take(fibers, worker);
		if (!fiber) {
			tools_unbegun();
			nap__starts_wait(fibers, worker, &start->task);
			return NULL;
		}
		nap__fibers_count_spawned(fibers, worker);
		trace_object(fibers->pool, NAP_TRACE_FIBER_SPAWN, fiber, (uintptr_t)start->fn);
	}
	start->stack = NULL;
	fiber_make(fiber, start->fn, start->arg);
	nap_store_relaxed(&fiber->joiner, JOINER_NOBODY);
	return fiber;
}

static struct nap_fiber *begin_unseen(struct nap_fiber_start *start)
{
	struct nap_fiber *fiber;

	unseen_begin();
	fiber = start_begin(fibers_of(start->pool), insider(start->pool), start);
	unseen_end();
	return fiber;
}

/*
 * If a fiber has dequeued the start of another fiber, the loop runs this start, too, so that starts
 * do not nest on the stack.
 */
void nap__start_run(struct nap_task *task)
{
	struct nap_fiber *fiber;

	do {
		fiber = begin_unseen(start_of(task));
		task = fiber ? nap__fibers_run(fiber) : NULL;
	} while (task && task->run == nap__start_run);
	if (task)
		task->run(task);
}

int nap_fiber_start_init(struct nap_fiber_start *start, struct nap_pool *pool, nap_fiber_fn fn,
			 void *arg)
{
	int err = -ESHUTDOWN;

	if (!start || !pool || !fn)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	*start = (struct nap_fiber_start){ NAP_TASK_INIT(nap__start_run), fn, arg, pool, NULL };
	unseen_begin();
	if (insider(pool)) {
		if (!pool_stopped_or_forked(pool))
			err = fibers_sized(pool, &err) ? 0 : err;
	} else if (intake_enter(pool)) {
		err = fibers_sized(pool, &err) ? 0 : err;
		gate_leave(&pool->intake);
	}
	unseen_end();
	return err;
}

struct nap_fiber_start *nap_fiber_start_of(struct nap_task *task)
{
	return task && task->run == nap__start_run ? start_of(task) : NULL;
}
