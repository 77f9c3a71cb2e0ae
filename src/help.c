/* SPDX-License-Identifier: MIT */
/*
 * Running a pool's tasks on threads that are not its workers: because they ask to (nap_pool_help),
 * or because there is no worker and they wait for the result.
 *
 * A helper has no ring: it takes one task at a time, and what its tasks schedule is injected.
 *
 * pool->helpers: how many are at it now (low half) and how many ever were (high half), so that two
 * equal readings with nobody at it mean that nobody was in between.
 */
#include <errno.h>

#include <nap/nap.h>

#include "atomic.h"
#include "call.h"
#include "debug.h"
#include "gate.h"
#include "idle/idle.h"
#include "os.h"
#include "phase.h"
#include "pool.h"
#include "queue/kind.h"
#include "registry.h"

#define HELPER_ONE	(((uint64_t)1 << 32) + 1)

/* What is queued anywhere, one at a time. The order is a worker's, without a ring of one's own. */
static struct nap_task *take(struct nap_pool *pool, bool *more)
{
	struct nap_task *task = inject_take(&pool->inject, more);

	for (struct nap_worker *w = registry_first(pool); w && !task; w = w->next) {
		task = overflow_take(&w->overflow, more);
		if (!task)
			task = ring_steal_one(&w->ring);
	}
	return task;
}

/* Every task that is queued, into @rest, but the calls, which are told that they are not begun. */
static void take_all(struct nap_pool *pool, struct nap_batch *rest)
{
	struct nap_task *task;
	bool more = false;	/* nobody is left to be told, or they do not run tasks any more */

	while ((task = take(pool, &more)))
		if (!nap__call_cancel(task))
			nap_batch_push(rest, task);
}

void nap__collect(struct nap_pool *pool, struct nap_batch *left)
{
	struct nap_batch rest = NAP_BATCH_INIT;

	take_all(pool, &rest);
	if (rest.head)
		debug_unmark_list(rest.head, rest.tail);
	nap_batch_concat(left, &rest);
}

void nap__cancel_calls(struct nap_pool *pool)
{
	struct nap_batch rest = NAP_BATCH_INIT;

	take_all(pool, &rest);
	if (rest.head)
		inject_push(&pool->inject, rest.head, rest.tail);
}

static void begin_helping(struct nap_pool *pool)
{
	/* Relaxed: as a read-modify-write it carries on what earlier helpers released [H1]. */
	nap_fetch_add_relaxed(&pool->helpers, HELPER_ONE);
	/* Counted before any queue is touched; pairs with pool_at_rest() [Q3] */
	nap_fence_seq_cst();
}

static void end_helping(struct nap_pool *pool)
{
	/* Pairs with pool_at_rest(): what the tasks did. [H1] */
	nap_fetch_sub_release(&pool->helpers, 1);
	nap_fence_seq_cst();	/* leave before looking; pairs with the watcher's fence [Q1] */
	nap__idle_wake_watchers(pool);
}

/* Run up to @max tasks; the records are kept alive by the caller. */
static unsigned long help(struct nap_pool *pool, unsigned long max)
{
	struct nap__self *self = nap__self();
	struct nap__helping helping = { .pool = pool, .outer = self->helping };
	unsigned long n = 0;

	begin_helping(pool);
	self->helping = &helping;
	while (n < max && !pool_stopping(pool)) {
		bool more = false;
		struct nap_task *task = take(pool, &more);

		if (more)
			nap__idle_notify(pool);
		if (!task)
			break;
		debug_unmark(task);
		task->run(task);
		/* It is the next one again, if nothing else is queued. */
		if (helping.gave_back)
			break;
		n++;
	}
	self->helping = helping.outer;
	nap_fetch_add_relaxed(&pool->helped, n);
	end_helping(pool);
	return n;
}

bool nap__help_one(struct nap_pool *pool)
{
	bool inside = is_helping(pool);
	bool ran;

	/* Inside a helper's task the records are kept alive by that helper. */
	if (!inside && !gate_enter(&pool->visits))
		return false;
	ran = help(pool, 1);
	if (!inside)
		gate_leave(&pool->visits);
	return ran;
}

bool nap__needs_help(struct nap_pool *pool)
{
	return nap__idle_spawned(pool) == 0 && !inject_empty(&pool->inject);
}

/* On a worker of the pool: nested in the task that asks. */
static long help_as_worker(struct nap_worker *worker, unsigned long max)
{
	struct nap__outer before;
	struct nap_task *task;
	unsigned long n = 0;

	become(worker, &before);
	while (n < max && may_nest() && (task = nap__dequeue(worker))) {
		nap__run(worker, task);
		n++;
	}
	back_to(&before);
	return (long)n;
}

long nap_pool_help(struct nap_pool *pool, unsigned long max)
{
	struct nap_worker *worker;
	long n;

	if (!pool)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	worker = own_worker(pool);
	if (max == 0 || max > (unsigned long)INT64_MAX)
		max = (unsigned long)INT64_MAX;
	if (worker)
		return help_as_worker(worker, max);
	if (pool_forked(pool))
		return -ESHUTDOWN;
	if (is_helping(pool))
		return may_nest() ? (long)help(pool, max) : 0;
	if (!gate_enter(&pool->visits))
		return -ESHUTDOWN;
	n = (long)help(pool, max);
	gate_leave(&pool->visits);
	return n;
}
