/* SPDX-License-Identifier: MIT */
/*
 * When each task that waits was scheduled: a table by the tasks' addresses, because a task has no
 * room for a time. A task is queued once at any time, and its schedule comes before its run; so a
 * task's cell has one writer after the other, in the order of the queues. But a cell that is given
 * back is taken by the next task, of any thread:
 *
 *	runs the first			schedules the second
 *	--------------			--------------------
 *	read the time			key: 0 -> the second [M7]
 *	key = 0		[M7]		time = now
 *
 * Without the order the second's time could come before the first's in the word's modification
 * order, and the thread that runs the second would read the first's.
 *
 * A task's place begins at a hash of its address (Knuth, "The Art of Computer Programming", 6.4:
 * multiplicative hashing, linear probing). No probe goes beyond STAMPS_PROBED cells; so nothing need
 * be known of cells that were given back in between, and a full table costs no more than that.
 */
#ifndef NAP_MEASURE_STAMPS_H
#define NAP_MEASURE_STAMPS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/atomic.h"

#ifndef STAMPS_PROBED
#define STAMPS_PROBED 16u
#endif

struct nap__stamp {
	uint64_t key;		/* A: the address of a task, or 0 */
	uint64_t time;		/* A: as stamp_put() got it */
};

static inline uint64_t stamp_place(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15u;
	return key ^ key >> 32;
}

/* Notes @time, not 0, of the task @key, which the caller is about to publish. False: no room. */
static inline bool stamp_put(struct nap__stamp *stamps, uint64_t mask, uint64_t key, uint64_t time)
{
	uint64_t place = stamp_place(key);

	for (uint32_t i = 0; i < STAMPS_PROBED; i++) {
		struct nap__stamp *stamp = &stamps[(place + i) & mask];
		uint64_t is = nap_load_relaxed(&stamp->key);

		/* Pairs with stamp_take(): the time of the task before. [M7] */
		if (!is)
			is = nap_cmpxchg_acquire(&stamp->key, 0, key);
		/* Or a task that was scheduled, and never begun; its memory is another's now. */
		if (!is || is == key) {
			nap_store_relaxed(&stamp->time, time);
			return true;
		}
	}
	return false;
}

/*
 * Returns the time of the task @key, which the caller is about to run, and gives its cell back. 0: the
 * task has none.
 */
static inline uint64_t stamp_take(struct nap__stamp *stamps, uint64_t mask, uint64_t key)
{
	uint64_t place = stamp_place(key), time;

	for (uint32_t i = 0; i < STAMPS_PROBED; i++) {
		struct nap__stamp *stamp = &stamps[(place + i) & mask];

		if (nap_load_relaxed(&stamp->key) != key)
			continue;
		time = nap_load_relaxed(&stamp->time);
		nap_store_release(&stamp->key, 0);	/* pairs with stamp_put() [M7] */
		return time;
	}
	return 0;
}

#endif /* NAP_MEASURE_STAMPS_H */
