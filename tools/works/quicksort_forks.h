/* SPDX-License-Identifier: MIT */
/*
 * The quicksort by fork and join. The larger part is forked, and the smaller one is sorted at
 * once. So the depth of the recursion is at most the number of bits of the length, whatever the
 * pivots are. If no worker has taken the larger part, the loop goes on with it.
 */
#ifndef WORKS_QUICKSORT_FORKS_H
#define WORKS_QUICKSORT_FORKS_H

#include <nap/nap.h>

#include "quicksort.h"

struct part {
	int32_t *first;
	uint32_t n;
};

static void sort(struct nap_worker *worker, struct nap_frame *top, struct part part);
NAP_JOB_VOID(sort, struct part)

static void sort(struct nap_worker *worker, struct nap_frame *top, struct part part)
{
	while (part.n > SORT_CUTOFF) {
		uint32_t mid = sort_partition(part.first, part.n);
		struct part low = { part.first, mid };
		struct part high = { part.first + mid + 1, part.n - mid - 1 };
		struct part smaller = low.n < high.n ? low : high;

		part = low.n < high.n ? high : low;
		sort(worker, sort_fork(worker, top, part), smaller);
		if (!nap_join(worker, top))
			return;
	}
	sort_by_insertion(part.first, part.n);
}

#endif /* WORKS_QUICKSORT_FORKS_H */
