/* SPDX-License-Identifier: MIT */
/*
 * A lock for static data. A fork copies the lock. The lock's holder may be missing in the child. So
 * the word has the number of the holder's process (src/os/linux/process.c). With the number of
 * another process, or 0, the lock is free: in every child, at any depth.
 *
 * What the lock guards may be half-written in the child. Its holder writes it so that the child can
 * begin again from each state in between.
 *
 * A thread that gives the lock back always wakes one, because the word has no room to say whether
 * one sleeps: such a lock is taken once or twice in a pool's life.
 */
#ifndef NAP_PROCESS_LOCK_H
#define NAP_PROCESS_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/atomic.h"
#include "os/futex.h"
#include "os/os.h"

/* Returns the word of a lock that a thread of this process holds; it is never 0. */
static inline uint32_t process_lock_held(void)
{
	return 2 * nap_load_relaxed(&nap__fork_gen) + 1;
}

static inline bool process_lock_try(uint32_t *lock)
{
	uint32_t word = nap_load_relaxed(lock), held = process_lock_held();

	/* Sees what was done under the lock: pairs with process_lock_give(). [A2] */
	return word != held && nap_cmpxchg_acquire(lock, word, held) == word;
}

static inline void process_lock_take(uint32_t *lock)
{
	while (!process_lock_try(lock))
		nap__futex_wait(lock, process_lock_held(), UINT64_MAX);
}

static inline void process_lock_give(uint32_t *lock)
{
	/* Publishes what was done under the lock: pairs with process_lock_try(). [A2] */
	nap_store_release(lock, 0);
	nap__futex_wake(lock, 1);
}

#endif /* NAP_PROCESS_LOCK_H */
