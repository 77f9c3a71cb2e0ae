// SPDX-License-Identifier: MIT
/*
 * nap-demo sort: the quicksort of Zap's repository (blog branch, benchmarks/zig/qsort.zig): the
 * same numbers in the same order, Lomuto's partition on the last element, insertion sort up to 32.
 * Other than there nobody joins: a task per sub-range, and one wait group counts those in flight.
 */
#include "sort.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define CUTOFF 32
#define SHUFFLE_SEED 0xdeadbeefu

static inline void swap(int32_t *a, int32_t *b)
{
	int32_t t = *a;

	*a = *b;
	*b = t;
}

static void insertion_sort(int32_t *a, uint32_t len)
{
	for (uint32_t i = 1; i < len; i++)
		for (uint32_t n = i; n && a[n] < a[n - 1]; n--)
			swap(&a[n], &a[n - 1]);
}

/* Returns where the pivot is now: nothing before it is larger, nothing after it smaller. */
static uint32_t partition(int32_t *a, uint32_t len)
{
	uint32_t last = len - 1, i = 0;

	for (uint32_t j = 0; j < last; j++)
		if (a[j] <= a[last])
			swap(&a[j], &a[i++]);
	swap(&a[i], &a[last]);
	return i;
}

static void sort_task(struct nap_task *task);

static void push(struct nap_batch *batch, struct range *range, int32_t *first, uint32_t len)
{
	nap_task_init(&range->task, sort_task);
	range->first = first;
	range->len = len;
	nap_batch_push(batch, &range->task);
}

/*
 * The two parts, in this task's node and in a new one; this task's place in the group passes on to
 * one of them. (A part may be empty; the other has 16 elements at least, or @range had 32 at most.)
 */
static int split(struct sort *sort, struct range *range, int32_t *a, uint32_t len)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct range *other = range_get(sort);
	uint32_t mid;
	int ret;

	if (!other)
		return -ENOMEM;
	mid = partition(a, len);
	push(&batch, range, a, mid);
	push(&batch, other, a + mid + 1, len - mid - 1);
	ret = nap_group_add(&sort->run.group, 1);
	if (!ret)
		ret = nap_schedule_batch(&sort->run.pool, &batch);
	if (ret == -ESHUTDOWN)
		__atomic_fetch_add(&sort->left, 2, __ATOMIC_RELAXED);
	return ret;
}

static void sort_task(struct nap_task *task)
{
	struct range *range = nap_container_of(task, struct range, task);
	struct sort *sort = range->sort;
	int ret;

	if (range->len > CUTOFF) {
		ret = split(sort, range, range->first, range->len);
		if (ret && ret != -ESHUTDOWN)
			run_fail(&sort->run, -ret);
		return;
	}
	insertion_sort(range->first, range->len);
	range_put(sort, range);
	nap_group_done(&sort->run.group);
}

/* 0 .. n-1 in the benchmark's order. Returns whether a signal came meanwhile. */
static bool shuffle(int32_t *a, uint32_t n)
{
	uint32_t xs = SHUFFLE_SEED;

	for (uint32_t i = 0; i < n; i++)
		a[i] = (int32_t)i;
	for (uint32_t i = 0; i < n; i++) {
		xs ^= xs << 13;
		xs ^= xs >> 17;
		xs ^= xs << 5;
		swap(&a[i], &a[xs % (i + 1)]);
		if (i % (1u << 20) == 0 && signals_caught())
			return true;
	}
	return signals_caught();
}

/* Sorted, and every number there once. */
static bool verify(const int32_t *a, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i] != (int32_t)i)
			return false;
	return true;
}

static int sort_all(struct sort *sort, int32_t *a, uint32_t n)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct range *range = range_get(sort);

	if (!range)
		return -ENOMEM;
	push(&batch, range, a, n);
	nap_group_add(&sort->run.group, 1);
	run_start_clock(&sort->run);
	nap_schedule_batch(&sort->run.pool, &batch);
	run_wait(&sort->run, NULL, NULL);
	run_stop_clock(&sort->run);
	return 0;
}

static int stopped(const struct sort *sort)
{
	char left[32];

	if (sort->run.workers)
		fprintf(stderr, "nap-demo: stopped by %s; left: %s sub-ranges that were queued\n",
			signals_name(), digits(sort->left, left));
	else
		fprintf(stderr, "nap-demo: stopped by %s before the tasks began\n",
			signals_name());
	return signals_status();
}

/* Returns 0, or the exit status after saying why. */
static int sort_on(struct sort *sort, const struct options *options, unsigned workers, int32_t *a,
		   uint32_t n)
{
	struct nap_batch left = NAP_BATCH_INIT;
	int ret;

	if (shuffle(a, n))
		return stopped(sort);
	ret = sort_begin(sort, options, workers);
	if (!ret)
		ret = sort_all(sort, a, n);
	run_end(&sort->run, &left);
	sort->left += left.count;	/* their memory goes with the blocks */
	ranges_free(sort);
	if (signals_caught())
		return stopped(sort);
	if (ret || sort->run.error) {
		report_error(ret ? -ret : sort->run.error);
		return EXIT_FAILED;
	}
	if (verify(a, n))
		return 0;
	fprintf(stderr, "nap-demo: sort: the result on %u workers is wrong\n", workers);
	return EXIT_FAILED;
}

static int measure(const struct options *options, int32_t *a, uint32_t n)
{
	struct sort many = { .left = 0 }, one = { .left = 0 };
	char buf[32];
	int status;

	status = sort_on(&many, options, options->workers, a, n);
	if (!status)
		status = sort_on(&one, options, 1, a, n);
	if (!status) {
		printf("%s numbers sorted twice; both results are right\n", digits(n, buf));
		report_times(&many.run, &one.run);
		report_no_workers(&many.run);
		report_counters(&many.run, options->verbose);
		report_counters(&one.run, options->verbose);
	}
	run_free(&many.run);
	run_free(&one.run);
	return status;
}

int cmd_sort(const struct options *options, uint32_t n)
{
	int32_t *a = malloc(n * sizeof(*a));
	int status;

	if (!a) {
		report_error(ENOMEM);
		return EXIT_FAILED;
	}
	status = measure(options, a, n);
	free(a);
	return status;
}
