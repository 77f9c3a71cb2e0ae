/* SPDX-License-Identifier: MIT */
/*
 * A lock that is held for a few instructions. It guards one list or heap that several threads
 * change at any place. A holder neither runs the program's functions nor calls into a pool. (Ulrich
 * Drepper, "Futexes Are Tricky", 2011, the second mutex.)
 */
#ifndef NAP_LOCK_H
#define NAP_LOCK_H

#include <stdint.h>

#include "arch/atomic.h"
#include "os/futex.h"

#define LOCK_FREE	0u
#define LOCK_HELD	1u
#define LOCK_AWAITED	3u	/* held, and a thread may sleep until it is released */

#ifndef NAP_LOCK_LOOKS
#define NAP_LOCK_LOOKS	40
#endif

static inline void lock_take(uint32_t *lock)
{
	/* Sees what was done under the lock: pairs with lock_give(). [A2] */
	uint32_t word = nap_cmpxchg_acquire(lock, LOCK_FREE, LOCK_HELD);

	for (int looks = 0; word != LOCK_FREE && looks < NAP_LOCK_LOOKS; looks++) {
		nap_cpu_relax();
		word = nap_load_relaxed(lock);
		if (word == LOCK_FREE)
			/* pairs with lock_give() [A2] */
			word = nap_cmpxchg_acquire(lock, LOCK_FREE, LOCK_HELD);
	}
	if (word == LOCK_FREE)
		return;
	/* pairs with lock_give() [A2] */
	while (nap_xchg_acquire(lock, LOCK_AWAITED) != LOCK_FREE)
		nap__futex_wait(lock, LOCK_AWAITED, UINT64_MAX);
}

static inline void lock_give(uint32_t *lock)
{
	/* Publishes what was done under the lock: pairs with lock_take(). [A2] */
	if (nap_xchg_release(lock, LOCK_FREE) == LOCK_AWAITED)
		nap__futex_wake(lock, 1);
}

#endif /* NAP_LOCK_H */
