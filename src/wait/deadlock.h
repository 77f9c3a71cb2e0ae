/* SPDX-License-Identifier: MIT */
/*
 * Workers and guests at the nesting limit: inside a wait or a join, with so much of the stack used
 * that they may not run anything more on it. They only sleep. pool->at_nest_limit counts such
 * workers.
 *
 * If all workers are there nobody runs what is queued. Then threads from outside that wait for the
 * pool run its tasks, as when there is no worker. They are woken when a worker comes to the limit,
 * and look from pause to pause.
 *
 * A worker at the limit that joins, or waits for a group of its own pool and for ever, is stuck:
 * pool->stuck counts workers, pool->stuck_guests guests. (The wait of any other ends by something
 * else, a time or another pool.) If all are stuck, the task that they wait for may be queued: a
 * dead lock. Each looks from pause to pause. When for DEADLOCK_NS nobody has come, and nobody can
 * be started, one of their waits is -EDEADLK.
 */
#ifndef NAP_DEADLOCK_H
#define NAP_DEADLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/atomic.h"
#include "idle/idle.h"
#include "sync/deadline.h"
#include "worker/worker.h"

struct nap__wait;

/* How long nobody else is there before a wait is given up. */
#define DEADLOCK_NS	100000000u

/*
 * Worker or guest: as long as it may not run anything. Threads that wait outside are woken: they
 * sleep because this worker was able to run tasks.
 */
void nap__nest_limit_begin(struct nap_worker *worker, bool stuck);
void nap__nest_limit_end(struct nap_worker *worker, bool stuck);

/* At the limit, in a wait whose pool needs help: it gives up, because all wait for each other. */
bool nap__deadlock_gives_up(struct nap__wait *wait);

/* Any thread: no worker is there that could run anything. */
static inline bool all_at_nest_limit(struct nap_pool *pool)
{
	return nap__idle_spawned(pool) <= nap_load_relaxed(&pool->at_nest_limit);
}

/* Any thread inside: another worker is not there, and will not be for some time. */
static inline bool cannot_start(struct nap_pool *pool)
{
	return nap__idle_spawned(pool) >= nap_load_relaxed(&pool->limit) ||
	       nap_load_relaxed(&pool->spawn_retry) || pool->config.flags & NAP_NO_WORKERS;
}

/* @alone, and so for DEADLOCK_NS at least. *@until is the wait's, 0 at first. */
static inline bool has_lasted(bool alone, uint64_t *until)
{
	if (!alone)
		*until = 0;
	else if (!*until)
		*until = deadline_after(DEADLOCK_NS);
	return *until && deadline_passed(*until);
}

#endif /* NAP_DEADLOCK_H */
