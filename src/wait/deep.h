/* SPDX-License-Identifier: MIT */
/*
 * Workers and guests that are deep: inside a wait or a join, with so much of the stack used that
 * they may not run anything more in it. They only sleep. pool->deep counts such workers.
 *
 * If all workers are deep nobody runs what is queued. Then threads from outside that wait for the
 * pool run its tasks, as when there is no worker. They are woken when a worker becomes deep, and
 * look from pause to pause.
 *
 * A worker that is deep in a join, or waits for a group of its own pool and for ever, is stuck:
 * pool->stuck counts workers, pool->stuck_guests guests. (Others that are deep are ended by
 * something else, a time or another pool, and go on.) If all are stuck what they wait for may be
 * queued. Each looks from pause to pause; when for long enough nobody has come, and nobody can be
 * started, one of their waits is -EDEADLK.
 */
#ifndef NAP_DEEP_H
#define NAP_DEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/atomic.h"
#include "idle/idle.h"
#include "queue/kind.h"
#include "sched/guest.h"
#include "sync/deadline.h"
#include "sync/event.h"
#include "sync/waitlist.h"
#include "worker/message.h"
#include "worker/phase.h"
#include "worker/queued.h"
#include "worker/worker.h"

/* How long nobody else is there before a wait is given up. */
#define DEEP_ALONE_NS	100000000u

/* Where those like @worker are counted that are stuck. */
static inline uint32_t *stuck_count(struct nap_worker *worker)
{
	return worker->guest ? &worker->pool->stuck_guests : &worker->pool->stuck;
}

/*
 * Worker or guest: as long as it may not run anything. Those who wait outside are told: they sleep
 * because this worker was able to run tasks.
 */
static inline void deep_begin(struct nap_worker *worker, bool stuck)
{
	/* One that has retired is none of those who could run anything. */
	if (worker->retired)
		return;
	if (stuck)
		nap_fetch_add_relaxed(stuck_count(worker), 1);
	if (worker->guest)
		return;
	nap_fetch_add_relaxed(&worker->pool->deep, 1);
	nap_fence_seq_cst();	/* counted before looking; pairs with those who enlist [Q1] */
	waitlist_wake(&worker->pool->waiters, EVENT_POOL);
}

static inline void deep_end(struct nap_worker *worker, bool stuck)
{
	if (worker->retired)
		return;
	if (stuck)
		nap_fetch_sub_relaxed(stuck_count(worker), 1);
	if (!worker->guest)
		nap_fetch_sub_relaxed(&worker->pool->deep, 1);
}

/* Worker that is deep, and has a message. */
static inline void deep_answer(struct nap_worker *worker, bool stuck)
{
	deep_end(worker, stuck);
	nap__answer_message(worker);
	if (!pool_forked(worker->pool))
		deep_begin(worker, stuck);
}

/*
 * Worker or guest that is counted as stuck: stop being so, if all of its kind are. False: one is
 * not. Of several that give up one does, and goes on to run what the others wait for.
 */
static inline bool stuck_give_up(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	uint32_t all = worker->guest ? guests_inside(pool) : nap__idle_spawned(pool);

	/* It is not counted, and nobody waits for it. */
	if (worker->retired)
		return true;
	return nap_cmpxchg_relaxed(stuck_count(worker), all, all - 1) == all;
}

/* Any thread: nobody is there, worker or guest, who goes on without the pool. */
static inline bool all_are_stuck(struct nap_pool *pool)
{
	return nap__idle_spawned(pool) <= nap_load_relaxed(&pool->stuck) &&
	       guests_inside(pool) <= nap_load_relaxed(&pool->stuck_guests);
}

/* Any thread: no worker is there that could run anything. */
static inline bool all_are_deep(struct nap_pool *pool)
{
	return nap__idle_spawned(pool) <= nap_load_relaxed(&pool->deep);
}

/* Any thread inside: another worker is not there, and will not be for some time. */
static inline bool cannot_start(struct nap_pool *pool)
{
	return nap__idle_spawned(pool) >= nap_load_relaxed(&pool->limit) ||
	       nap_load_relaxed(&pool->spawn_retry) || pool->config.flags & NAP_NO_WORKERS;
}

/* @worker, deep: whether what it waits for may be queued in @pool, and nobody comes to run it. */
static inline bool is_alone(struct nap_worker *worker, struct nap_pool *pool)
{
	/* Of another pool only whether it has a worker at all, and what was injected. */
	if (worker->pool != pool ? nap__idle_spawned(pool) || inject_empty(&pool->inject) :
				   !nap__anything_queued(pool))
		return false;
	return cannot_start(pool) && all_are_stuck(pool);
}

/* @alone, and so for DEEP_ALONE_NS at least. *@until is the wait's, 0 at first. */
static inline bool has_lasted(bool alone, uint64_t *until)
{
	if (!alone)
		*until = 0;
	else if (!*until)
		*until = deadline_after(DEEP_ALONE_NS);
	return *until && deadline_passed(*until);
}

static inline bool alone_for_long(struct nap_worker *worker, struct nap_pool *pool, uint64_t *until)
{
	return has_lasted(is_alone(worker, pool), until);
}

#endif /* NAP_DEEP_H */
