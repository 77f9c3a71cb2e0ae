// SPDX-License-Identifier: MIT
/*
 * nap-demo sort, by fork and join: the larger part of a range is forked, the smaller one is sorted
 * meanwhile. So the recursion is as deep as N has bits, however the pivots fall.
 */
#include "forks.h"
#include "sort.h"

#include <stdio.h>

struct forked {
	struct forks forks;
	int32_t *a;
	uint32_t n;
};

struct part {
	struct forked *sort;
	int32_t *first;
	uint32_t len;
};

static void sort_part(struct nap_worker *worker, struct nap_frame *top, struct part part);
NAP_JOB_VOID(sort_part, struct part)

/* The parts to the left and to the right of the pivot, by their size. */
static void split(const struct part *whole, struct part *larger, struct part *smaller)
{
	uint32_t mid = sort_partition(whole->first, whole->len);

	*larger = *smaller = *whole;
	larger->len = mid;
	smaller->first += mid + 1;
	smaller->len -= mid + 1;
	if (larger->len < smaller->len) {
		struct part part = *larger;

		*larger = *smaller;
		*smaller = part;
	}
}

/* The larger part, when nobody took it, is gone on with here, so that this nests no deeper. */
static void sort_part(struct nap_worker *worker, struct nap_frame *top, struct part part)
{
	while (part.len > SORT_CUTOFF && !forks_stopped(&part.sort->forks)) {
		struct part larger, smaller;

		split(&part, &larger, &smaller);
		sort_part(worker, sort_part_fork(worker, top, larger), smaller);
		if (!nap_join(worker, top))
			return;
		part = larger;
	}
	if (part.len <= SORT_CUTOFF)
		sort_by_insertion(part.first, part.len);
}

static void work(struct forks *forks, struct nap_worker *worker)
{
	struct forked *sort = nap_container_of(forks, struct forked, forks);
	struct part all = { .sort = sort, .first = sort->a, .len = sort->n };

	sort_part(worker, nap_top(worker), all);
}

/* Returns 0, or the exit status after saying why. */
static int sort_on(struct forked *sort, const struct options *options, unsigned workers)
{
	int status;

	if (sort_shuffle(sort->a, sort->n))
		return sort_stopped_early();
	sort->forks.work = work;
	status = forks_run(&sort->forks, options, workers, "the sort by fork and join");
	return status ? status : sort_check(sort->a, sort->n, workers);
}

int sort_forks(const struct options *options, int32_t *a, uint32_t n)
{
	struct forked many = { .a = a, .n = n }, one = { .a = a, .n = n };
	int status;

	status = sort_on(&many, options, options->workers);
	if (!status)
		status = sort_on(&one, options, 1);
	if (!status)
		sort_report(options, "by fork and join", n, &many.forks.run, &one.forks.run);
	run_free(&many.forks.run);
	run_free(&one.forks.run);
	return status;
}
