/* SPDX-License-Identifier: MIT */
/*
 * Workers and guests at the nesting limit: inside a wait or a join, with so much of the stack used
 * that they may not run another task on it. Such a thread only sleeps. pool->at_nest_limit counts
 * such workers.
 *
 * If all workers are at the limit, no worker runs queued tasks. Then threads from outside that wait
 * for the pool run them, as in a pool without a worker. A worker that reaches the limit wakes these
 * threads, and they check after every pause.
 *
 * A worker at the limit is stuck when it joins, or waits without a timeout for a group of its own
 * pool. pool->stuck counts such workers, pool->stuck_guests such guests. (Any other wait is ended
 * by a timeout or by another pool.) If all are stuck, the task that they wait for may be queued: a
 * deadlock. Each stuck thread checks after every pause. If for DEADLOCK_NS no other thread has come
 * and none can be started, one of the stuck waits returns -EDEADLK.
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

/* How long stuck threads are alone before one of them gives up its wait. */
#define DEADLOCK_NS	100000000u

/*
 * Called by a worker or guest that reaches, or leaves, the nesting limit. nap__nest_limit_begin()
 * wakes the threads that wait outside, because they relied on this worker to run tasks.
 */
void nap__nest_limit_begin(struct nap_worker *worker, bool stuck);
void nap__nest_limit_end(struct nap_worker *worker, bool stuck);

/* Whether @wait, at the limit, gives up because all threads wait for each other. */
bool nap__deadlock_gives_up(struct nap__wait *wait);

/* Whether no worker can run a task. Called by any thread. */
static inline bool all_at_nest_limit(struct nap_pool *pool)
{
	return nap__idle_spawned(pool) <= nap_load_relaxed(&pool->at_nest_limit);
}

/* Whether no more workers can be started now. Called by any thread inside. */
static inline bool cannot_start(struct nap_pool *pool)
{
	return nap__idle_spawned(pool) >= nap_load_relaxed(&pool->limit) ||
	       nap_load_relaxed(&pool->spawn_retry) || pool->config.flags & NAP_NO_WORKERS;
}

/*
 * Whether @alone has been true for DEADLOCK_NS. *@until keeps the time from call to call, and is 0
 * at first.
 */
static inline bool has_lasted(bool alone, uint64_t *until)
{
	if (!alone)
		*until = 0;
	else if (!*until)
		*until = deadline_after(DEADLOCK_NS);
	return *until && deadline_passed(*until);
}

#endif /* NAP_DEADLOCK_H */
