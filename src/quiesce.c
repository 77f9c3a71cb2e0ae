/* SPDX-License-Identifier: MIT */
/*
 * Waiting until a pool has nothing to do, without a counter that every task would have to touch:
 * the idle word says that every worker sleeps and no notification is out, and since no worker
 * sleeps while a task it could take exists, nothing is queued either.
 *
 * Two things the word does not tell. A worker that waits inside a task counts as idle, because new
 * work may call it back; so each worker also counts its rests (worker->rest, odd: at rest). And
 * threads that help from outside are in pool->helpers.
 *
 * Both are read twice, with the word in between. Equal readings, all odd and nobody helping, mean
 * that at the moment when the word was read nobody was inside a task.
 */
#include <errno.h>

#include <nap/nap.h>

#include "atomic.h"
#include "debug.h"
#include "event.h"
#include "gate.h"
#include "idle/idle.h"
#include "phase.h"
#include "pool.h"
#include "registry.h"
#include "waitlist.h"

/* Everybody's count; false when somebody is inside a task. */
static bool collect_rests(struct nap_pool *pool, uint64_t *sum)
{
	/* Pairs with help(). [H1] */
	uint64_t helpers = nap_load_acquire(&pool->helpers);

	if ((uint32_t)helpers)
		return false;
	*sum = helpers >> 32;
	for (struct nap_worker *w = registry_first(pool); w; w = w->next) {
		uint64_t rests;

		/* A guest's counts also while it is free: it may have come and gone. */
		if (!w->guest && nap_load_relaxed(&w->record) == RECORD_FREE)
			continue;
		rests = nap_load_acquire(&w->rest);	/* pairs with rest() [Q3] */
		if (!(rests & 1))
			return false;
		*sum += rests;
	}
	return true;
}

static bool pool_at_rest(struct nap_pool *pool)
{
	uint64_t before, after;

	if (!collect_rests(pool, &before) || !nap__idle_quiet(pool) || nap__work_left(pool))
		return false;
	/*
	 * Whoever emptied a queue that was found empty had counted itself as busy before it touched
	 * that queue; pairs with rest() and help(). [Q3]
	 */
	nap_fence_seq_cst();
	return collect_rests(pool, &after) && before == after;
}

/* Sleep until EVENT_POOL, unless what it would announce is there already. */
static void wait_for_pool(struct nap_pool *pool, uint64_t deadline, bool stuck)
{
	uint32_t event = 0;
	struct nap__waiter node = { .event = &event };

	waitlist_add(&pool->waiters, &node);
	nap__idle_watch(pool);
	/*
	 * Enlist before looking; pairs with stop(), end(), help(), nap__idle_spawn_failed(). [Q1]
	 */
	nap_fence_seq_cst();
	if (pool_canceled(pool) || gate_is_closed(&pool->visits) || pool_at_rest(pool) ||
	    (nap__needs_help(pool) && !stuck) ||
	    !event_wait(&event, EVENT_POOL, stuck ? deadline_soon(deadline) : deadline))
		waitlist_remove(&pool->waiters, &node, EVENT_POOL);
}

/* 1: go on waiting; anything else is the result. The caller is inside. */
static int quiesce_once(struct nap_pool *pool, uint64_t deadline)
{
	bool stuck = false;

	if (pool_canceled(pool))
		return -ECANCELED;
	if (pool_at_rest(pool))
		return 0;
	if (deadline_passed(deadline))
		return -ETIMEDOUT;
	if (nap__needs_help(pool)) {
		if (nap__help_one(pool))
			return 1;
		stuck = true;
	}
	wait_for_pool(pool, deadline, stuck);
	return 1;
}

int nap__quiesce(struct nap_pool *pool, uint64_t deadline)
{
	int err = 1;

	while (err > 0) {
		/*
		 * The child of a task that was run here, and forked: others who were inside are
		 * not.
		 */
		if (pool_forked(pool))
			return -ESHUTDOWN;
		/* Closed: everybody has left, so everything was run, or the pool was stopped. */
		if (!gate_enter(&pool->visits))
			return pool_canceled(pool) ? -ECANCELED : 0;
		err = quiesce_once(pool, deadline);
		gate_leave(&pool->visits);
	}
	return err;
}

int nap_pool_quiesce_for(struct nap_pool *pool, uint64_t timeout_ns)
{
	if (!pool)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	if (pool_is_own_thread(pool))
		return -EDEADLK;
	if (pool_forked(pool))
		return -ESHUTDOWN;
	return nap__quiesce(pool, deadline_after(timeout_ns));
}

int nap_pool_quiesce(struct nap_pool *pool)
{
	return nap_pool_quiesce_for(pool, NAP_FOREVER);
}
