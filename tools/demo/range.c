// SPDX-License-Identifier: MIT
/*
 * Memory for the tasks of a sort: every thread has a free list of its own, and takes a block when
 * it is empty. That is right because a range has one owner at a time: the thread that got it, then
 * the pool from schedule to run, then the thread that runs it, which puts it on its own list. So
 * ranges wander between the lists and no list is shared; the handing over is nap_schedule()'s.
 * A list never gets a range twice, since only the leaf that ends a range puts it.
 */
#include "sort.h"

#include <stdlib.h>

#define BLOCK_RANGES 1000

struct range_block {
	struct range_block *next;
	struct range ranges[BLOCK_RANGES];
};

static _Thread_local struct {
	unsigned long id;
	struct range *free;
} mine;

int sort_begin(struct sort *sort, const struct options *options, unsigned workers)
{
	static unsigned long last_id;

	sort->id = ++last_id;
	return run_begin(&sort->run, options, workers);
}

/* The main thread's list may be left from an earlier sort, whose blocks are gone. */
static inline void claim(const struct sort *sort)
{
	if (mine.id == sort->id)
		return;
	mine.id = sort->id;
	mine.free = NULL;
}

void range_put(struct sort *sort, struct range *range)
{
	claim(sort);
	range->next = mine.free;
	mine.free = range;
}

static bool refill(struct sort *sort)
{
	struct range_block *block = malloc(sizeof(*block));

	if (!block)
		return false;
	block->next = __atomic_load_n(&sort->blocks, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&sort->blocks, &block->next, block, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	for (unsigned i = 0; i < BLOCK_RANGES; i++)
		range_put(sort, &block->ranges[i]);
	return true;
}

/* NULL: no memory. */
struct range *range_get(struct sort *sort)
{
	struct range *range;

	claim(sort);
	if (!mine.free && !refill(sort))
		return NULL;
	range = mine.free;
	mine.free = range->next;
	range->sort = sort;
	return range;
}

/* After the pool was joined. */
void ranges_free(struct sort *sort)
{
	struct range_block *block;

	while ((block = sort->blocks)) {
		sort->blocks = block->next;
		free(block);
	}
}
