/* SPDX-License-Identifier: MIT */
/* Counting workers at the nesting limit, and giving up in a deadlock: src/wait/deadlock.h. */
#include "wait/deadlock.h"

#include "queue/kind.h"
#include "sched/guest.h"
#include "sync/event.h"
#include "sync/waitlist.h"
#include "wait/wait.h"
#include "worker/queued.h"

/* Returns the count of stuck workers, or, for a guest, the count of stuck guests. */
static uint32_t *stuck_count(struct nap_worker *worker)
{
	return worker->guest ? &worker->pool->stuck_guests : &worker->pool->stuck;
}

void nap__nest_limit_begin(struct nap_worker *worker, bool stuck)
{
	/* A retired worker runs no tasks, so it is not counted. */
	if (worker->retired)
		return;
	if (stuck)
		nap_fetch_add_relaxed(stuck_count(worker), 1);
	if (worker->guest)
		return;
	nap_fetch_add_relaxed(&worker->pool->at_nest_limit, 1);
	/* count before checking for waiters; pairs with wait_visit() [Q1] */
	nap_fence_seq_cst();
	waitlist_wake(&worker->pool->waiters, EVENT_POOL);
}

void nap__nest_limit_end(struct nap_worker *worker, bool stuck)
{
	if (worker->retired)
		return;
	if (stuck)
		nap_fetch_sub_relaxed(stuck_count(worker), 1);
	if (!worker->guest)
		nap_fetch_sub_relaxed(&worker->pool->at_nest_limit, 1);
}

/* Whether all workers and all guests are stuck. Called by any thread. */
static bool all_are_stuck(struct nap_pool *pool)
{
	return nap__idle_spawned(pool) <= nap_load_relaxed(&pool->stuck) &&
	       guests_inside(pool) <= nap_load_relaxed(&pool->stuck_guests);
}

/* Whether a task for which @worker waits may be queued in @pool, and no thread will run it. */
static bool nobody_comes(struct nap_worker *worker, struct nap_pool *pool)
{
	/*
	 * Of a pool that is not the worker's own, only the number of workers and the injection
	 * queue are read.
	 */
	if (worker->pool != pool ? nap__idle_spawned(pool) || inject_empty(&pool->inject) :
				   !nap__anything_queued(pool))
		return false;
	return cannot_start(pool) && all_are_stuck(pool);
}

/*
 * Takes @worker out of the count of stuck workers (or guests) if all of them are stuck; false: one
 * of them is not. If several give up at once, one succeeds, and runs the tasks that the others wait
 * for.
 */
static bool stuck_give_up(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	uint32_t all = worker->guest ? guests_inside(pool) : nap__idle_spawned(pool);

	/* A retired worker is not counted, and no thread waits for it. */
	if (worker->retired)
		return true;
	return nap_cmpxchg_relaxed(stuck_count(worker), all, all - 1) == all;
}

bool nap__deadlock_gives_up(struct nap__wait *wait)
{
	if (!wait->unserved || !wait_at_limit(wait))
		return false;
	/*
	 * Leaving the lists wakes the other waiters, so that they check at once instead of after
	 * their pauses. Not noticed in tests when dropped: the pauses are shorter than the wait.
	 */
	nap__wait_delist(wait);
	if (wait->deadline != NAP_FOREVER ||
	    !has_lasted(nobody_comes(wait->worker, wait->pool), &wait->alone_until))
		return false;
	wait->stuck = wait->stuck && !stuck_give_up(wait->worker);
	return !wait->stuck;
}
