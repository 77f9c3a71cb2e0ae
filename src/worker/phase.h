/* SPDX-License-Identifier: MIT */
/* The phase of a pool's life: pool->phase, which only grows; its last step is in pool->join. */
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
	PHASE_JOINED,			/* after a drain: nothing remained */
	PHASE_JOINED_STOP,		/* after a stop */
};

/* pool->join: whether a thread is about to end the pool, and how far it is. */
enum nap__join {
	JOIN_NONE,
	JOIN_BUSY,
	JOIN_QUIET,		/* nobody joins; everything was run, the workers may go */
	JOIN_ENDED,		/* ended; the next joiner is the first: nap__pool_end() */
	JOIN_DONE,
};

/* pool->ends is a list of struct nap_end (src/kit/ends.c), or this: they have been notified. */
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

/* Raises the phase to @to; false: the phase was @to or a later one. */
static inline bool phase_raise(struct nap_pool *pool, enum nap__phase to)
{
	uint32_t phase = nap_load_relaxed(&pool->phase);

	while (phase < to) {
		/* Pairs with pool_phase(): what remains, the totals. [P1] */
		if (nap_try_cmpxchg_release(&pool->phase, &phase, to))
			return true;
	}
	return false;
}

/*
 * Whether this process is a child, forked while the pool was in use: the workers do not exist here,
 * and their memory is a torn copy. Such a pool refuses everything and waits for nothing.
 */
static inline bool pool_forked(struct nap_pool *pool)
{
	uint32_t gen = nap_load_relaxed(&pool->fork_gen);

	return gen && gen != nap_load_relaxed(&nap__fork_gen);
}

/* The pool's worker: whether to begin no more tasks. In the child of a fork no thread is one. */
static inline bool pool_stopped(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->phase) == PHASE_STOP;
}

/*
 * pool->plain is the number of the process in which the pool's workers have nothing to check but
 * queues. The first use sets it. The word is a number that no process has where each task needs a
 * check (by a race detector, in a debug build, with classes, in a pool that is measured), from a
 * stop on (which sets the word before its phase), during a broadcast, and while the pool is traced.
 * So one comparison tells whether the pool is stopped, whether this is the child of a fork, whether
 * each task needs a check or an event, and whether there may be a message (src/worker/message.h).
 *
 * A broadcast and a trace may begin and end side by side: each has a bit of its own.
 */
#define PLAIN_NO_MORE	UINT32_MAX
#define PLAIN_CLOSED	(UINT32_MAX - 7)
#define PLAIN_MESSAGES	1u
#define PLAIN_TRACED	2u

/* Closes the fast path for a reason, PLAIN_MESSAGES or PLAIN_TRACED. The pool is in use. */
static inline void plain_close(struct nap_pool *pool, uint32_t reason)
{
	uint32_t plain = nap_load_relaxed(&pool->plain);

	/* PLAIN_NO_MORE has all bits. */
	while (!nap_try_cmpxchg_relaxed(&pool->plain, &plain,
					(plain < PLAIN_CLOSED ? PLAIN_CLOSED : plain) | reason))
		;
}

/* The reason is over. The pool is plain again, unless there is another, or it was stopped. */
static inline void plain_open(struct nap_pool *pool, uint32_t reason)
{
	uint32_t plain = nap_load_relaxed(&pool->plain), to;

	do {
		if (plain == PLAIN_NO_MORE)
			return;
		to = plain & ~reason;
		if (to == PLAIN_CLOSED)
			to = nap_load_relaxed(&nap__fork_gen);
	} while (!nap_try_cmpxchg_relaxed(&pool->plain, &plain, to));
}

/* Whether the pool, which is in use, is plain in the process @gen. */
static inline bool pool_is_plain_in(struct nap_pool *pool, uint32_t gen)
{
	return nap_load_relaxed(&pool->plain) == gen;
}

/* For a worker of @pool, or a thread that was one in the parent. */
static inline bool pool_is_plain(struct nap_pool *pool)
{
	return pool_is_plain_in(pool, nap_load_relaxed(&nap__fork_gen));
}

/*
 * Worker or guest: whether to begin no more tasks. A task that forks and returns in the child
 * leaves the child's thread inside a pool that is not its own.
 */
static inline bool pool_stopped_or_forked(struct nap_pool *pool)
{
	return pool_stopped(pool) || pool_forked(pool);
}

#endif /* NAP_PHASE_H */
