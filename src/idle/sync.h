/* SPDX-License-Identifier: MIT */
/*
 * The Sync word: everything that the workers of a pool agree on, in 32 bits. This file holds its
 * layout and its transitions as pure functions, word -> word; sync.c makes the changes, mostly by
 * compare-exchange.
 *
 *	bits  0..1   state
 *	bit   2      NOTIFIED
 *	bit   3      WATCHED
 *	bits  4..17  idle     workers that sleep or are about to
 *	bits 18..31  spawned  workers that exist or are being started
 *
 * The fields stand in the blog's order (state lowest); the states are numbered as in Zap's source,
 * not as in the blog, where waking and signaled are exchanged. WATCHED takes the spare bit.
 *
 * State   PENDING   no worker is being woken: a notification may wake or start one.
 *         SIGNALED  a worker is being woken or started; another may take the signal first. Never
 *                   without NOTIFIED.
 *         WAKING    the signal was taken: its taker is the waking worker. If this worker finds a
 *                   task, it then sets SIGNALED for the next worker, or PENDING. If it finds no
 *                   task, it sets PENDING.
 *         SHUTDOWN  the last state.
 * NOTIFIED          a worker has to check the queues once more before any sleeps. Set: by
 *                   every notification. Cleared: by a worker, which then executes a full fence and
 *                   checks the queues; by a failed start that leaves no worker at all. A producer
 *                   that sees NOTIFIED set need do nothing. A producer may overlook that NOTIFIED
 *                   is set, and then sets NOTIFIED again. But it must not overlook that NOTIFIED
 *                   was cleared: hence the fences [S1]. NOTIFIED stands for any number of tasks, so
 *                   a worker that takes NOTIFIED sets it again if tasks are left.
 * WATCHED           a thread waits for the pool to fall quiet. Others may see this late.
 * idle              A worker adds itself before it enters the idle set and sleeps. It subtracts
 *                   itself when it takes a notification, was called (src/idle/wave.h), or leaves
 *                   for another reason.
 * spawned           The starter adds a worker before the start, and subtracts it if the start
 *                   failed. A worker that retires subtracts itself.
 *
 * Bounds: spawned <= NAP_MAX_WORKERS, and idle <= NAP_MAX_WORKERS + NAP_GUESTS = 2^14 - 1: a worker
 * is counted once in each, a guest in idle only. No transition adds to spawned at the limit, so
 * neither field can run into its neighbour.
 */
#ifndef NAP_IDLE_SYNC_H
#define NAP_IDLE_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/atomic.h"
#include "worker/worker.h"

#define SYNC_STATE		3u
#define SYNC_PENDING		0u
#define SYNC_SIGNALED		1u
#define SYNC_WAKING		2u
#define SYNC_SHUTDOWN		3u
#define SYNC_NOTIFIED		(1u << 2)
#define SYNC_WATCHED		(1u << 3)
#define SYNC_IDLE_ONE		(1u << 4)
#define SYNC_SPAWNED_ONE	(1u << 18)
#define SYNC_FIELD_MAX		((1u << 14) - 1)

enum { SYNC_COUNTS = false };

/* The protocol's data in a worker's record. */
struct sync_worker {
	bool waking;		/* this is the waking worker */
	bool called;		/* was woken, and has found no task since: src/idle/wave.h */
	uint8_t alarms;		/* notifications in a row that were in vain */
};

static inline struct sync_worker *sync_of(struct nap_worker *worker)
{
	return (struct sync_worker *)worker->protocol;
}

/* What a thread has to do after its compare-exchange has succeeded. */
enum sync_act { SYNC_NOTHING, SYNC_WAKE, SYNC_SPAWN };

struct sync_step {
	uint32_t next;
	enum sync_act act;
};

static inline uint32_t sync_state(uint32_t sync)
{
	return sync & SYNC_STATE;
}

static inline uint32_t sync_idle(uint32_t sync)
{
	return sync / SYNC_IDLE_ONE & SYNC_FIELD_MAX;
}

static inline uint32_t sync_spawned(uint32_t sync)
{
	return sync / SYNC_SPAWNED_ONE;
}

static inline uint32_t sync_with_state(uint32_t sync, uint32_t state)
{
	return (sync & ~SYNC_STATE) | state;
}

/*
 * Whether a notification would change anything. While NOTIFIED is set, only a start would change
 * something, if one is possible and no worker is being woken: so a failed start is retried.
 */
static inline bool sync_must_notify(uint32_t sync, uint32_t max)
{
	if (sync & SYNC_NOTIFIED)
		return sync_state(sync) == SYNC_PENDING && sync_spawned(sync) < max;
	return sync_state(sync) != SYNC_SHUTDOWN;
}

/* A lone notification (nap__idle_notify_lone()) does not end a doze. */
static inline bool sync_is_notified(struct nap_pool *pool, uint32_t max, bool was_empty, bool lone)
{
	(void)was_empty;
	return !sync_must_notify(nap_load_relaxed(&pool->sync), max) &&
	       (lone || !nap_load_relaxed(&pool->dozer));
}

/*
 * A notification by a producer or, with @waking, by the waking worker that has found a task: wakes
 * an idle worker, or starts one if there are fewer than @max, or only sets NOTIFIED.
 */
static inline struct sync_step sync_notify(uint32_t sync, uint32_t max, bool waking)
{
	struct sync_step step = { sync, SYNC_NOTHING };
	bool can_wake = waking || sync_state(sync) == SYNC_PENDING;

	if (sync_state(sync) == SYNC_SHUTDOWN)
		return step;
	if (can_wake && sync_idle(sync) > 0) {
		step.next = sync_with_state(sync, SYNC_SIGNALED);
		step.act = SYNC_WAKE;
	} else if (can_wake && sync_spawned(sync) < max) {
		step.next = sync_with_state(sync, SYNC_SIGNALED) + SYNC_SPAWNED_ONE;
		step.act = SYNC_SPAWN;
	} else if (waking) {
		step.next = sync_with_state(sync, SYNC_PENDING);
	}
	step.next |= SYNC_NOTIFIED;
	return step;
}

/* A worker takes the notification (NOTIFIED is set); @idle: the worker was counted as idle. */
static inline uint32_t sync_consume(uint32_t sync, bool idle)
{
	if (sync_state(sync) == SYNC_SIGNALED)
		sync = sync_with_state(sync, SYNC_WAKING);
	return (sync & ~SYNC_NOTIFIED) - (idle ? SYNC_IDLE_ONE : 0);
}

/*
 * A worker that found nothing goes idle. @waking: it was the waking one, and NOTIFIED is not set.
 */
static inline uint32_t sync_sleep(uint32_t sync, bool waking)
{
	if (waking)
		sync = sync_with_state(sync, SYNC_PENDING);
	return sync + SYNC_IDLE_ONE;
}

/* An idle worker leaves for another reason than work; takes the notification if there is one. */
static inline uint32_t sync_leave(uint32_t sync)
{
	if (sync_state(sync) != SYNC_SHUTDOWN && (sync & SYNC_NOTIFIED))
		return sync_consume(sync, true);
	return sync - SYNC_IDLE_ONE;
}

/*
 * Stops counting a worker that is neither idle nor the waking one. NOTIFIED stays for the other
 * workers. If no worker is left NOTIFIED is cleared, or every later schedule would rely on a worker
 * that does not exist.
 */
static inline uint32_t sync_retire(uint32_t sync)
{
	sync -= SYNC_SPAWNED_ONE;
	/* If a guest is idle, NOTIFIED stays: the guest searches. */
	if (!sync_spawned(sync) && !sync_idle(sync) && sync_state(sync) != SYNC_SHUTDOWN)
		sync &= ~SYNC_NOTIFIED;
	return sync;
}

/*
 * Stops counting a worker that could not be started. If the state is still SIGNALED, no worker will
 * take the signal, so the signal is undone.
 */
static inline uint32_t sync_unspawn(uint32_t sync)
{
	if (sync_state(sync) == SYNC_SIGNALED)
		sync = sync_with_state(sync, SYNC_PENDING);
	return sync_retire(sync);
}

/*
 * Whether a notification is out that a woken worker has to take. In the state WAKING the waking
 * worker answers it. In SIGNALED the caller may be the worker that was signaled. In PENDING the
 * caller's signal may have been undone: sync_unspawn() undoes a signal, whichever worker it was
 * for.
 */
static inline bool sync_is_unanswered(uint32_t sync)
{
	return (sync & SYNC_NOTIFIED) && sync_state(sync) != SYNC_WAKING;
}

/* Whether every worker sleeps and no notification is out. */
static inline bool sync_quiet(uint32_t sync)
{
	return !(sync & SYNC_NOTIFIED) && sync_idle(sync) == sync_spawned(sync) &&
	       (sync_state(sync) == SYNC_PENDING || sync_state(sync) == SYNC_SHUTDOWN);
}

#endif /* NAP_IDLE_SYNC_H */
