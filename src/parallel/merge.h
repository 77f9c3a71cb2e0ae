/* SPDX-License-Identifier: MIT */
/* Sorting by comparisons, in memory for as many elements once more: src/parallel/merge.c. */
#ifndef NAP_PARALLEL_MERGE_H
#define NAP_PARALLEL_MERGE_H

#include <nap/pool.h>

#include "parallel/element.h"

/*
 * Any thread: sort @elements, of which @room is for as many. Stable. Returns 0, or -ESHUTDOWN, and
 * then nothing has changed.
 */
int nap__merge_sort(struct nap_pool *pool, unsigned char *elements, unsigned char *room, size_t n,
		    const struct nap__order *order);

#endif /* NAP_PARALLEL_MERGE_H */
