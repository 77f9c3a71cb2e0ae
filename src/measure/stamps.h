/* SPDX-License-Identifier: MIT */
/*
 * The table of the times at which waiting tasks were scheduled, by the tasks' addresses, because a
 * task has no room for a time. A task is queued at most once at any time, and its schedule comes
 * before its run: so the queues order the writers of one task's cell. But another task, of any
 * thread, may take a cell that was given back:
 *
 *	runs the first			schedules the second
 *	--------------			--------------------
 *	read the time			key: 0 -> the second [M7]
 *	key = 0		[M7]		time = now
 *
 * Without the order [M7] the second time could come before the first in the modification order of
 * the cell's word, and the thread that runs the second task would read the first task's time.
 *
 * A task's place begins at a hash of its address (Knuth, "The Art of Computer Programming", 6.4:
 * multiplicative hashing, linear probing). A probe checks at most STAMPS_PROBED cells: so cells
 * that were given back need no mark, and a full table costs no more than that.
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
	uint64_t time;		/* A: the value of stamp_put() */
};

static inline uint64_t stamp_place(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15u;
	return key ^ key >> 32;
}

/*
 * Notes @time, which is not 0, for the task @key, which the caller is about to publish. False:
 * there is no room.
 */
static inline bool stamp_put(struct nap__stamp *stamps, uint64_t mask, uint64_t key, uint64_t time)
{
	uint64_t place = stamp_place(key);

	for (uint32_t i = 0; i < STAMPS_PROBED; i++) {
		struct nap__stamp *stamp = &stamps[(place + i) & mask];
		uint64_t is = nap_load_relaxed(&stamp->key);

		/*
		 * The time of the cell's earlier task is written before this: pairs with
		 * stamp_take(). [M7]
		 */
		if (!is)
			is = nap_cmpxchg_acquire(&stamp->key, 0, key);
		/*
		 * The cell is free, or has the same address: an earlier task there was scheduled,
		 * but never begun.
		 */
		if (!is || is == key) {
			nap_store_relaxed(&stamp->time, time);
			return true;
		}
	}
	return false;
}

/*
 * Returns the time of the task @key, which the caller is about to run, and gives its cell back.
 * Returns 0 if the task has no time.
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
