/* SPDX-License-Identifier: MIT */
/*
 * A lock as in src/sync/lock.h, in one word with the state of the object that it guards. While the
 * lock is held other threads may change the state, by read-modify-writes that keep the two bits of
 * the lock.
 *
 * One compare-exchange gives the lock back and changes the state. This is the last touch of the
 * object: a thread that sees the new state, and does not need the lock, may free the object at
 * once. (With two words this is impossible: the first write lets another thread free the object,
 * and the second write would come after that.) The wake uses only the address, as every wake does
 * (src/os/futex.h).
 *
 * A word that is only a lock may be used with the functions of both headers.
 */
#ifndef NAP_LOCK_WORD_H
#define NAP_LOCK_WORD_H

#include <stdint.h>

#include "arch/atomic.h"
#include "os/futex.h"
#include "sync/lock.h"

#define LOCK_BITS	LOCK_AWAITED	/* the two bits of the lock; the state is above them */
#define LOCK_STATE	4u		/* the state's lowest bit */

static inline void word_take(uint32_t *word)
{
	uint32_t was = nap_load_relaxed(word);

	for (int looks = 0; looks <= NAP_LOCK_LOOKS; looks++) {
		/* Sees what was done under the lock: pairs with word_give(). [A2] */
		if (!(was & LOCK_BITS) && nap_try_cmpxchg_acquire(word, &was, was | LOCK_HELD))
			return;
		nap_cpu_relax();
		was = nap_load_relaxed(word);
	}
	/* pairs with word_give() [A2] */
	while ((was = nap_fetch_or_acquire(word, LOCK_BITS)) & LOCK_HELD)
		nap__futex_wait(word, was | LOCK_BITS, UINT64_MAX);
}

/*
 * Gives the lock back, clears @clear in the state and adds @set, as the last touch of the object.
 */
static inline void word_give(uint32_t *word, uint32_t clear, uint32_t set)
{
	uint32_t was = nap_load_relaxed(word);

	/*
	 * Pairs with word_take() [A2], and with acquires of the state without the lock [Y3] [Y4]
	 * [Y5].
	 */
	while (!nap_try_cmpxchg_release(word, &was, (was & ~(clear | LOCK_BITS)) + set))
		;
	if ((was & LOCK_BITS) == LOCK_AWAITED)
		nap__futex_wake(word, 1);
}

#endif /* NAP_LOCK_WORD_H */
