/* SPDX-License-Identifier: MIT */
/*
 * A list of fibers' tasks that have begun and found no stack (src/async/fiber/start.c). A stack
 * that is given back goes to the task that has waited longest:
 *
 *	finds no stack                    gives a stack back
 *	--------------                    ------------------
 *	list the task, and count it       put the stack where others find it
 *	fence                             fence
 *	take a stack for the first        is a task counted? take a stack for the first
 *	  listed task                       listed task
 *
 * Both sides take the stack under the lock, so a thread that has the lock sees each stack either
 * free or with its task. A worker that gives back a stack executes no fence, so that a fiber's end
 * stays cheap. Instead the worker checks the count at once, at each tick (src/sched/fair.c), and
 * after the fence before it parks (src/worker/queued.c).
 *
 * A trim holds a stack for a while, and the worker that kept the stack may check just then. So a
 * trim fences and checks at its end.
 *
 * A task with a stack is queued like any task. From then on the task counts as a fiber, so that the
 * pool does not seem idle between the list and the queue.
 */
#include "async/fiber/stacks.h"

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "os/happens.h"
#include "os/os.h"
#include "sched/schedule.h"
#include "sync/lock.h"
#include "async/async.h"
#include "worker/measure.h"
#include "worker/worker.h"

/* Called under the lock: stores the count of listed tasks. */
static void starts_count(struct nap__fibers *fibers)
{
	size_t n = fibers->starts.count;

	/*
	 * A task that is no longer counted here was counted as a fiber before this: pairs with
	 * nap__starts_may(). [A8]
	 */
	nap_store_release(&fibers->async.starts, n < UINT32_MAX ? (uint32_t)n : UINT32_MAX);
}

/* Removes the first task, and gives it a stack. NULL: no task is listed, or no stack is free. */
static struct nap_task *starts_take_first(struct nap__fibers *fibers, struct nap_worker *worker)
{
	struct nap_fiber *stack = NULL;
	struct nap_task *task = NULL;

	lock_take(&fibers->lock);
	if (fibers->starts.head)
		stack = nap__stack_take(fibers, worker);
	if (stack) {
		nap__fibers_count_spawned(fibers, worker);
		task = nap_batch_pop(&fibers->starts);
		start_of(task)->stack = stack;
		trace_object(fibers->pool, NAP_TRACE_FIBER_SPAWN, stack,
			     (uintptr_t)start_of(task)->fn);
		starts_count(fibers);
	}
	lock_give(&fibers->lock);
	if (task)
		happens_after(task);
	return task;
}

/* Schedules @task, which has its stack. The caller is inside the pool. */
static void have_begin(struct nap_pool *pool, struct nap_worker *worker, struct nap_task *task)
{
	happens_before(task);
	if (nap__schedule_as(pool, worker, true, task, task, 1))
		nap__schedule_left(pool, task);
}

/*
 * Gives stacks to listed tasks, as long as there are stacks and tasks. The caller is inside the
 * pool.
 */
static void feed(struct nap__fibers *fibers, struct nap_worker *worker)
{
	struct nap_task *task;

	while (nap_load_relaxed(&fibers->async.starts) &&
	       (task = starts_take_first(fibers, worker)))
		have_begin(fibers->pool, worker, task);
}

/* Gives the stack to the warm list. The caller is a guest, or no worker of the pool. */
static __attribute__((noinline)) void give_warm(struct nap__fibers *fibers,
						struct nap_worker *worker, struct nap_fiber *fiber)
{
	free_list_push(&fibers->warm, fibers->notes, fiber->index, fiber->index, 1);
	/* Give the stack back before checking for tasks; pairs with nap__starts_wait(). [A13] */
	nap_fence_seq_cst();
	feed(fibers, worker);
}

/*
 * Called when @worker keeps as many stacks as it may, or a task waits for a stack: gives stacks
 * away.
 */
static __attribute__((noinline)) void give_away(struct nap__fibers *fibers,
						struct nap_worker *worker)
{
	if (worker->nr_stacks >= fibers->keep)
		nap__stacks_spill(fibers, worker);
	feed(fibers, worker);
}

void nap__stack_give(struct nap__fibers *fibers, struct nap_worker *worker, struct nap_fiber *fiber)
{
	nap_store_relaxed(&fiber->life, FIBER_FREE);
	if (!keeps_stacks(worker)) {
		give_warm(fibers, worker, fiber);
		return;
	}
	stack_keep(worker, fiber);
	if (worker->nr_stacks >= fibers->keep || nap_load_relaxed(&fibers->async.starts))
		give_away(fibers, worker);
}

void nap__starts_feed(struct nap__fibers *fibers)
{
	/*
	 * Move stacks before checking for tasks; pairs with nap__starts_wait() and parking workers.
	 * [A13]
	 */
	nap_fence_seq_cst();
	feed(fibers, NULL);
}

struct nap_task *nap__starts_take(struct nap_worker *worker)
{
	struct nap_task *task = starts_take_first(fibers_of(worker->pool), worker);

	if (task && is_watched(worker->pool))
		watch_due(worker->pool, nap__os_now(), task, task);
	return task;
}

bool nap__starts_may(struct nap_pool *pool)
{
	struct nap__fibers *fibers = fibers_of(pool);
	bool may;

	/* Pairs with the release in starts_count(). [A8] */
	/* Not noticed in tests when dropped: the lock is taken in vain. */
	if (!nap_load_acquire(&fibers->async.starts))
		return false;
	/* Checked under the lock, where no stack is on its way to a listed task. */
	lock_take(&fibers->lock);
	may = fibers->starts.head && nap__stacks_free(fibers);
	lock_give(&fibers->lock);
	return may;
}

void nap__starts_wait(struct nap__fibers *fibers, struct nap_worker *worker, struct nap_task *task)
{
	happens_before(task);
	lock_take(&fibers->lock);
	nap_batch_push(&fibers->starts, task);
	starts_count(fibers);
	lock_give(&fibers->lock);
	/*
	 * List the task before checking for stacks; pairs with give_warm() and parking workers.
	 * [A13]
	 */
	nap_fence_seq_cst();
	feed(fibers, worker);
}

void nap__start_give_back(struct nap__fibers *fibers, struct nap_task *task)
{
	if (start_of(task)->stack) {
		trace_object(fibers->pool, NAP_TRACE_FIBER_END, start_of(task)->stack,
			     (uintptr_t)start_of(task)->fn);
		nap__fibers_count_ended(fibers, NULL);
	}
	start_of(task)->stack = NULL;
}

void nap__starts_end(struct nap__fibers *fibers, struct nap_batch *left)
{
	for (struct nap_task *task = fibers->starts.head; task; task = task->next)
		happens_after(task);
	nap_batch_concat(left, &fibers->starts);
	starts_count(fibers);
}
