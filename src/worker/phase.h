/* SPDX-License-Identifier: MIT */
/* A pool's life, in pool->phase, which only ever grows; and its last step, in pool->join. */
#ifndef NAP_PHASE_H
#define NAP_PHASE_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "arch/atomic.h"
#include "os/os.h"

enum nap__phase {
	PHASE_RUNNING,
	PHASE_DRAIN = NAP_DRAIN,	/* closed to the outside, everything is run */
	PHASE_STOP = NAP_STOP,		/* closed, nothing more is begun */
	PHASE_JOINED,			/* after a drain: nothing was left */
	PHASE_JOINED_STOP,		/* after a stop */
};

/* pool->join: whether somebody is about to end it, and how far that is. */
enum nap__join {
	JOIN_NONE,
	JOIN_BUSY,
	JOIN_QUIET,		/* nobody joins; what was to be run has been, the workers may go */
	JOIN_ENDED,		/* it has ended, the next joiner is the first: nap__pool_end() */
	JOIN_DONE,
};

/* pool->ends is a list of struct nap_end (src/kit/ends.c), or this: they have been told. */
#define ENDS_TOLD	((uintptr_t)1)

static inline enum nap__phase pool_phase(struct nap_pool *pool)
{
	return (enum nap__phase)nap_load_acquire(&pool->phase);	/* pairs with phase_raise() [P1] */
}

/* Whether a wait for something in @pool can only be given up. */
static inline bool pool_canceled(struct nap_pool *pool)
{
	enum nap__phase phase = pool_phase(pool);

	return phase == PHASE_STOP || phase == PHASE_JOINED_STOP;
}

/* Raise the phase to @to; false when it is there or beyond. */
static inline bool phase_raise(struct nap_pool *pool, enum nap__phase to)
{
	uint32_t phase = nap_load_relaxed(&pool->phase);

	while (phase < to) {
		/* Pairs with pool_phase(): what is left behind, the totals. [P1] */
		if (nap_try_cmpxchg_release(&pool->phase, &phase, to))
			return true;
	}
	return false;
}

/*
 * Whether this process is a child, forked while the pool had been in use: its workers do not exist
 * here, and their memory is a torn copy. Such a pool refuses everything and waits for nothing.
 */
static inline bool pool_forked(struct nap_pool *pool)
{
	uint32_t gen = nap_load_relaxed(&pool->fork_gen);

	return gen && gen != nap_load_relaxed(&nap__fork_gen);
}

/* Its worker, of which there is none in the child of a fork: whether to begin no more tasks. */
static inline bool pool_stopped(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->phase) == PHASE_STOP;
}

/*
 * pool->plain is the number of the process in which the pool's workers have nothing to look at but
 * queues. It is set at the first use; where each task is to be looked at (by a race detector, in a
 * debug build, where there are classes), by a stop before its phase, and for the time of a
 * broadcast, to a number that no process has. So one comparison asks whether the pool is stopped, whether this is the child of a
 * fork, whether anybody watches, and whether there may be a message (src/worker/message.h).
 */
#define PLAIN_NO_MORE	UINT32_MAX
#define PLAIN_MESSAGES	(UINT32_MAX - 1)

/* In the process @gen; the pool is used. */
static inline bool pool_is_plain_in(struct nap_pool *pool, uint32_t gen)
{
	return nap_load_relaxed(&pool->plain) == gen;
}

/* Its worker, or who was that in the parent. */
static inline bool pool_is_plain(struct nap_pool *pool)
{
	return pool_is_plain_in(pool, nap_load_relaxed(&nap__fork_gen));
}

/*
 * Worker or guest: whether to begin no more tasks. A task that forks and returns in the child
 * leaves that child's thread in the middle of a pool that is not its own.
 */
static inline bool pool_stopped_or_forked(struct nap_pool *pool)
{
	return pool_stopped(pool) || pool_forked(pool);
}

#endif /* NAP_PHASE_H */
