// SPDX-License-Identifier: MIT
/*
 * Fibers that have come to their turn and found no stack (src/async/fiber/start.c): their tasks, in
 * a list. A stack that comes back goes to the thread that has waited longest:
 *
 *	finds no stack                    gives one back
 *	------------------                ------------------
 *	lists its task, and counts it     the stack is where others find it
 *	fence                             fence
 *	takes a stack for the first       is one counted? takes a stack for the first
 *	  that is listed                    that is listed
 *
 * Both take it under the lock, so that none is in anybody's hands in between. A worker that gives
 * back a stack has no fence of its own: a fiber's end has enough of those. It looks at once, when
 * its turn comes (src/sched/fair.c), and after the fence that it has before it parks
 * (src/worker/queued.c).
 *
 * One that has its stack is a task as before. It counts as a fiber from then on, so that the pool
 * is not at rest between the list and the queue.
 */
#include "async/fiber/stacks.h"

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "os/happens.h"
#include "sched/schedule.h"
#include "sync/lock.h"
#include "worker/async.h"
#include "worker/worker.h"

/* Under the lock. */
static void starts_count(struct nap__fibers *fibers)
{
	/*
	 * Pairs with nap__starts_may(): that one counts as a fiber which is no longer counted here.
	 * [A8]
	 */
	nap_store_release(&fibers->async.starts, (uint32_t)fibers->starts.count);
}

/* Out of the list, with a stack. NULL: nobody waits, or no stack is free. */
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
		starts_count(fibers);
	}
	lock_give(&fibers->lock);
	if (task)
		happens_after(task);
	return task;
}

/* The caller is inside. */
static void have_begin(struct nap_pool *pool, struct nap_worker *worker, struct nap_task *task)
{
	happens_before(task);
	if (nap__schedule_as(pool, worker, true, task, task, 1))
		nap__schedule_left(pool, task);
}

static void feed(struct nap__fibers *fibers, struct nap_worker *worker)
{
	struct nap_task *task;

	while (nap_load_relaxed(&fibers->async.starts) &&
	       (task = starts_take_first(fibers, worker)))
		have_begin(fibers->pool, worker, task);
}

/* Not a worker of the pool. */
static __attribute__((noinline)) void give_warm(struct nap__fibers *fibers, struct nap_worker *worker,
						struct nap_fiber *fiber)
{
	free_list_push(&fibers->warm, fibers->notes, fiber->index, fiber->index, 1);
	/* Given before looking; pairs with nap__starts_wait(). [A13] */
	nap_fence_seq_cst();
	feed(fibers, worker);
}

/* Worker that keeps as many as it may, or somebody waits for one. */
static __attribute__((noinline)) void give_away(struct nap__fibers *fibers, struct nap_worker *worker)
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

struct nap_task *nap__starts_take(struct nap_worker *worker)
{
	return starts_take_first(fibers_of(worker->pool), worker);
}

bool nap__starts_may(struct nap_pool *pool)
{
	struct nap__fibers *fibers = fibers_of(pool);
	bool may;

	/* Acquire: as above. [A8] */
	if (!nap_load_acquire(&fibers->async.starts))
		return false;
	/* Under the lock: no stack is on its way to one of them. */
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
	/* Listed before looking; pairs with nap__stack_give(), and who parks after that. [A13] */
	nap_fence_seq_cst();
	feed(fibers, worker);
}

void nap__start_give_back(struct nap__fibers *fibers, struct nap_task *task)
{
	if (start_of(task)->stack)
		nap__fibers_count_ended(fibers, NULL);
	start_of(task)->stack = NULL;
}

void nap__starts_end(struct nap__fibers *fibers, struct nap_batch *left)
{
	for (struct nap_task *task = fibers->starts.head; task; task = task->next)
		happens_after(task);
	nap_batch_concat(left, &fibers->starts);
	starts_count(fibers);
}
