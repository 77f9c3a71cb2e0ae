/* SPDX-License-Identifier: MIT */
/*
 * The pools of the process that are in use, for a dump of all of them in the handler of a signal:
 * a table of words, because a handler takes no lock.
 *
 * A word is a pool's address, which is a multiple of 64, plus the number of threads that look at
 * the pool. The joiner takes the pool out when no thread looks, and only then gives the pool's
 * memory back. So the joiner waits for a dump, and a dump waits for no thread.
 *
 * The child of a fork has a copy, whose counts no thread counts down, and whose pools it may have
 * freed. Until the first pool of the child's own empties the table, nap__pools_process is the
 * number of another process (src/os/linux/process.c), and a dump only writes the addresses.
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
#include "os/os.h"
#include "sync/process_lock.h"

#ifndef NAP_POOLS
#define NAP_POOLS	64u	/* the most pools in use that a dump of all shows */
#endif
#define POOL_LOOKERS	(NAP__CACHE_LINE - 1u)

#pragma GCC visibility push(hidden)
extern uintptr_t nap__pools[NAP_POOLS];
extern uint32_t nap__pools_lock;	/* held by a thread that empties the table */
extern uint32_t nap__pools_process;	/* A: whose pools the table has */
#pragma GCC visibility pop

static inline struct nap_pool *pool_in(uintptr_t word)
{
	return (struct nap_pool *)(word & ~(uintptr_t)POOL_LOOKERS);
}

/* False: this is the child of a fork, and the table has its parent's pools. */
static inline bool pools_are_here(void)
{
	/* Sees that the table was emptied: pairs with pools_empty(). [M8] */
	return nap_load_acquire(&nap__pools_process) == nap_load_relaxed(&nap__fork_gen);
}

/* Makes the table this process's. */
static inline void pools_empty(void)
{
	process_lock_take(&nap__pools_lock);
	if (!pools_are_here()) {
		for (uint32_t i = 0; i < NAP_POOLS; i++)
			nap_store_relaxed(&nap__pools[i], 0);
		/* The table is empty before this: pairs with pools_are_here(). [M8] */
		nap_store_release(&nap__pools_process, nap_load_relaxed(&nap__fork_gen));
	}
	process_lock_give(&nap__pools_lock);
}

/*
 * Called by the thread that has mapped the records of @pool, and is inside: once between two joins.
 */
static inline void pools_enter(struct nap_pool *pool)
{
	if (!pools_are_here())
		pools_empty();
	for (uint32_t i = 0; i < NAP_POOLS; i++)
		/* The pool is set up before this: pairs with pool_look(). [M8] */
		if (!nap_load_relaxed(&nap__pools[i]) &&
		    !nap_cmpxchg_release(&nap__pools[i], 0, (uintptr_t)pool))
			return;
}

/* Called by any thread. NULL: there is no pool in *@slot, or too many threads look at it. */
static inline struct nap_pool *pool_look(uintptr_t *slot)
{
	uintptr_t word = pools_are_here() ? nap_load_relaxed(slot) : 0;

	while (pool_in(word) && (word & POOL_LOOKERS) < POOL_LOOKERS)
		/* pairs with pools_enter() [M8] */
		if (nap_try_cmpxchg_acquire(slot, &word, word + 1))
			return pool_in(word);
	return NULL;
}

/* Returns the address of a pool of the parent's, which may be other memory by now; or NULL. */
static inline struct nap_pool *pool_of_parent(uintptr_t *slot)
{
	/*
	 * Read first, because a thread that sees a pool of this process here also sees that the
	 * table is this process's: pairs with pools_enter(). [M8]
	 */
	struct nap_pool *pool = pool_in(nap_load_acquire(slot));

	return pools_are_here() ? NULL : pool;
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
	for (uint32_t i = 0; i < NAP_POOLS && pools_are_here(); i++) {
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

/* Called in a child: @pool, the parent's, is its own from now on. */
static inline void pools_forget(struct nap_pool *pool)
{
	for (uint32_t i = 0; i < NAP_POOLS; i++) {
		uintptr_t word = nap_load_relaxed(&nap__pools[i]);

		/* Another thread of the child may put its own pool in. */
		if (pool_in(word) == pool)
			nap_cmpxchg_relaxed(&nap__pools[i], word, 0);
	}
}

#endif /* NAP_POOLS_H */
