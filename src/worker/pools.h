/* SPDX-License-Identifier: MIT */
/*
 * The pools of the process that are in use, for a dump of all of them in the handler of a signal:
 * a table of words, because a handler takes no lock.
 *
 * A word is a pool's address, which is a multiple of 64, plus the number of threads that look at
 * the pool. The joiner takes the pool out when no thread looks, and only then gives the pool's
 * memory back. So the joiner waits for a dump, and a dump waits for no thread.
 *
 *	pool_look	a handler; the pool stays until pool_look_away()
 *	pools_leave	the joiner, repeatedly until no thread looks
 */
#ifndef NAP_POOLS_H
#define NAP_POOLS_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "arch/atomic.h"

#ifndef NAP_POOLS
#define NAP_POOLS	64u	/* the most pools in use that a dump of all shows */
#endif
#define POOL_LOOKERS	(NAP__CACHE_LINE - 1u)

extern uintptr_t nap__pools[NAP_POOLS] __attribute__((visibility("hidden")));

static inline struct nap_pool *pool_in(uintptr_t word)
{
	return (struct nap_pool *)(word & ~(uintptr_t)POOL_LOOKERS);
}

/*
 * Called by the thread that has mapped the records of @pool, and is inside: once between two joins.
 */
static inline void pools_enter(struct nap_pool *pool)
{
	for (uint32_t i = 0; i < NAP_POOLS; i++)
		/* The pool is set up before this: pairs with pool_look(). [M8] */
		if (!nap_load_relaxed(&nap__pools[i]) &&
		    !nap_cmpxchg_release(&nap__pools[i], 0, (uintptr_t)pool))
			return;
}

/* Called by any thread. NULL: there is no pool in *@slot, or too many threads look at it. */
static inline struct nap_pool *pool_look(uintptr_t *slot)
{
	uintptr_t word = nap_load_relaxed(slot);

	while (pool_in(word) && (word & POOL_LOOKERS) < POOL_LOOKERS)
		/* pairs with pools_enter() [M8] */
		if (nap_try_cmpxchg_acquire(slot, &word, word + 1))
			return pool_in(word);
	return NULL;
}

static inline void pool_look_away(uintptr_t *slot)
{
	nap_fetch_sub_release(slot, 1);	/* the reads come before: pairs with pools_leave() [M9] */
}

/*
 * Called by the joiner before it gives the pool's memory back: takes the pool out. True also if the
 * pool is in no slot. False: a thread looks at the pool.
 */
static inline bool pools_leave(struct nap_pool *pool)
{
	for (uint32_t i = 0; i < NAP_POOLS; i++) {
		if (pool_in(nap_load_relaxed(&nap__pools[i])) != pool)
			continue;
		/*
		 * The reads of a thread that looked at the pool come before this: pairs with
		 * pool_look_away(). [M9]
		 */
		return nap_cmpxchg_acquire(&nap__pools[i], (uintptr_t)pool, 0) == (uintptr_t)pool;
	}
	return true;
}

/* Called by the only thread of a child: the threads that looked at pools do not exist in it. */
static inline void pools_forget(struct nap_pool *pool)
{
	for (uint32_t i = 0; i < NAP_POOLS; i++)
		if (pool_in(nap_load_relaxed(&nap__pools[i])) == pool)
			nap_store_relaxed(&nap__pools[i], 0);
}

#endif /* NAP_POOLS_H */
