/* SPDX-License-Identifier: MIT */
/* The phase of a pool's life: pool->phase, which only grows. How far the join is: pool->join. */
#ifndef NAP_PHASE_H
#define NAP_PHASE_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "arch/atomic.h"
#include "os/os.h"

enum nap__phase {
	PHASE_RUNNING,
	PHASE_DRAIN = NAP_DRAIN,	/* closed to the outside, all tasks are run */
	PHASE_STOP = NAP_STOP,		/* closed, no more tasks begin */
	PHASE_JOINED,			/* joined after a drain: every task was run */
	PHASE_JOINED_STOP,		/* joined after a stop */
};

/* The values of pool->join: whether a thread is ending the pool, and how far the end has come. */
enum nap__join {
	JOIN_NONE,
	JOIN_BUSY,
	JOIN_QUIET,		/* no thread joins; every task was run, and workers may leave */
	JOIN_ENDED,		/* ended by nap__pool_end(); the next joiner counts as the first */
	JOIN_DONE,
};

/*
 * pool->ends is a list of struct nap_end (src/kit/ends.c), or this value, once all of them have
 * been notified.
 */
#define ENDS_TOLD	((uintptr_t)1)

static inline enum nap__phase pool_phase(struct nap_pool *pool)
{
	return (enum nap__phase)nap_load_acquire(&pool->phase);	/* pairs with phase_raise() [P1] */
}

/* Whether @pool was stopped: then a wait for something in it can only be given up. */
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
		/*
		 * What remains, and the totals, are stored before this: pairs with pool_phase().
		 * [P1]
		 */
		if (nap_try_cmpxchg_release(&pool->phase, &phase, to))
			return true;
	}
	return false;
}

/*
 * Whether this process is a child, forked while the pool was in use: the workers do not exist in
 * the child, and their memory is an inconsistent copy. Such a pool refuses everything and waits for
 * nothing.
 */
static inline bool pool_forked(struct nap_pool *pool)
{
	uint32_t gen = nap_load_relaxed(&pool->fork_gen);

	return gen && gen != nap_load_relaxed(&nap__fork_gen);
}

/*
 * Called by a worker of the pool: whether to begin no more tasks. (In the child of a fork no thread
 * is a worker.)
 */
static inline bool pool_stopped(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->phase) == PHASE_STOP;
}

/*
 * A pool is plain if its workers have to check nothing but queues. Then pool->plain is the number
 * of the process; the first use sets it. The word has another value, which is no process's number,
 * if each task needs a check: with a race detector, in a debug build, with classes, in a measured
 * or traced pool, during a broadcast, and from a stop on, which sets the word before the phase. So
 * one comparison tells whether the pool is stopped, whether this is the child of a fork, whether
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

	/* PLAIN_NO_MORE has all bits, so it stays. */
	while (!nap_try_cmpxchg_relaxed(&pool->plain, &plain,
					(plain < PLAIN_CLOSED ? PLAIN_CLOSED : plain) | reason))
		;
}

/*
 * Called when the reason is over: opens the fast path again, unless there is another reason, or the
 * pool was stopped.
 */
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

/*
 * Whether the pool is plain. Called by a worker of @pool, or by a thread that was a worker in the
 * parent.
 */
static inline bool pool_is_plain(struct nap_pool *pool)
{
	return pool_is_plain_in(pool, nap_load_relaxed(&nap__fork_gen));
}

/*
 * Called by a worker or guest: whether to begin no more tasks. (If a task forks and returns in the
 * child, the child's thread is still inside the parent's pool.)
 */
static inline bool pool_stopped_or_forked(struct nap_pool *pool)
{
	return pool_stopped(pool) || pool_forked(pool);
}

#endif /* NAP_PHASE_H */
