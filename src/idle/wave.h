/* SPDX-License-Identifier: MIT */
/*
 * Waves: waking several workers at once, under Sync.
 *
 * Sync wakes one worker at a time: the next is woken when that worker has found a task. A wake-up
 * takes some microseconds, so 64 workers are awake after 64 times as long. Therefore a thread that
 * publishes many tasks, and a woken worker that finds many, also call further workers. A called
 * worker that finds many tasks calls others in its turn: the calls form a tree.
 *
 * A call is no notification. The caller takes workers out of the idle set and sets their events,
 * and changes no word of the protocol; no thread relies on a called worker. A notifier may still
 * find a called worker counted as idle in the word, and no worker in the set. The called worker
 * reads the word when it counts itself out, and then takes the notification. [S3]
 *
 * On fewer than WIDE_CPUS CPUs, and in a pool with classes, no worker is called. (With classes a
 * called worker would mostly find a class at its limit.)
 */
#ifndef NAP_IDLE_WAVE_H
#define NAP_IDLE_WAVE_H

#include <stdbool.h>
#include <stddef.h>

#include <nap/pool.h>

#include "arch/atomic.h"
#include "idle/idle.h"

#define WIDE_CPUS	8u

#ifdef NAP_NO_WAVES		/* in the bare library, so that small programs stay small */
enum { HAS_WAVES = false };
#else
enum { HAS_WAVES = true };
#endif

/* A thread calls one worker for each NAP_WAVE_TASKS tasks, but WAVE_MOST at most. */
#ifndef NAP_WAVE_TASKS
#define NAP_WAVE_TASKS	8u
#endif
#define WAVE_MOST	4u

/* Whether workers are called, and thieves search on: one wake-up after another takes long here. */
static inline bool pool_is_wide(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->cpus) >= WIDE_CPUS && !pool->config.classes &&
	       idle_ops(pool)->spins;
}

/* As wave(), for a wide pool and more than a few tasks. */
void nap__wave(struct nap_pool *pool, size_t tasks);

/*
 * Called by a thread inside that has published @tasks tasks, or has found as many: calls further
 * workers, besides the one that is notified.
 */
static inline void wave(struct nap_pool *pool, size_t tasks)
{
	if (HAS_WAVES && tasks >= NAP_WAVE_TASKS && pool_is_wide(pool))
		nap__wave(pool, tasks);
}

#endif /* NAP_IDLE_WAVE_H */
