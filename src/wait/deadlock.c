/* SPDX-License-Identifier: MIT */
/* Counting the workers at the nesting limit; the dead lock of all of them: src/wait/deadlock.h. */
#include "wait/deadlock.h"

#include "queue/kind.h"
#include "sched/guest.h"
#include "sync/event.h"
#include "sync/waitlist.h"
#include "wait/wait.h"
#include "worker/queued.h"

/* Where those like @worker are counted that are stuck. */
static uint32_t *stuck_count(struct nap_worker *worker)
{
	return worker->guest ? &worker->pool->stuck_guests : &worker->pool->stuck;
}

void nap__nest_limit_begin(struct nap_worker *worker, bool stuck)
{
	/* A worker that has retired is none of those that could run anything. */
	if (worker->retired)
		return;
	if (stuck)
		nap_fetch_add_relaxed(stuck_count(worker), 1);
	if (worker->guest)
		return;
	nap_fetch_add_relaxed(&worker->pool->at_nest_limit, 1);
	nap_fence_seq_cst();	/* counted before looking; pairs with those who enlist [Q1] */
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

/* Any thread: there is no worker or guest that goes on without the pool. */
static bool all_are_stuck(struct nap_pool *pool)
{
	return nap__idle_spawned(pool) <= nap_load_relaxed(&pool->stuck) &&
	       guests_inside(pool) <= nap_load_relaxed(&pool->stuck_guests);
}

/* What @worker waits for may be queued in @pool, and nobody comes to run it. */
static bool nobody_comes(struct nap_worker *worker, struct nap_pool *pool)
{
	/* Of another pool only whether it has a worker at all, and what was injected. */
	if (worker->pool != pool ? nap__idle_spawned(pool) || inject_empty(&pool->inject) :
				   !nap__anything_queued(pool))
		return false;
	return cannot_start(pool) && all_are_stuck(pool);
}

/*
 * Stop being counted as stuck, if all of its kind are. False: one is not. Of several workers that
 * give up one does, and goes on to run what the others wait for.
 */
static bool stuck_give_up(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	uint32_t all = worker->guest ? guests_inside(pool) : nap__idle_spawned(pool);

	/* It is not counted, and nobody waits for it. */
	if (worker->retired)
		return true;
	return nap_cmpxchg_relaxed(stuck_count(worker), all, all - 1) == all;
}

bool nap__deadlock_gives_up(struct nap__wait *wait)
{
	if (!wait->unserved || !wait_at_limit(wait))
		return false;
	/*
	 * A thread that leaves the lists has those that wait outside look again, now and not after
	 * their pauses. Not noticed in tests when dropped: the pauses are shorter than the wait.
	 */
	nap__wait_delist(wait);
	if (wait->deadline != NAP_FOREVER ||
	    !has_lasted(nobody_comes(wait->worker, wait->pool), &wait->alone_until))
		return false;
	wait->stuck = wait->stuck && !stuck_give_up(wait->worker);
	return !wait->stuck;
}
