// SPDX-License-Identifier: MIT
/*
 * nap-demo sort, by tasks. Other than in the benchmark nobody joins: a task per sub-range, and one
 * wait group counts those in flight.
 */
#include "sort.h"

#include <errno.h>
#include <stdio.h>

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
	mid = sort_partition(a, len);
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

	if (range->len > SORT_CUTOFF) {
		ret = split(sort, range, range->first, range->len);
		if (ret && ret != -ESHUTDOWN)
			run_fail(&sort->run, -ret);
		return;
	}
	sort_by_insertion(range->first, range->len);
	range_put(sort, range);
	nap_group_done(&sort->run.group);
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

	fprintf(stderr, "nap-demo: stopped by %s; left: %s sub-ranges that were queued\n",
		signals_name(), digits(sort->left, left));
	return signals_status();
}

/* Returns 0, or the exit status after saying why. */
static int sort_on(struct sort *sort, const struct options *options, unsigned workers, int32_t *a,
		   uint32_t n)
{
	struct nap_batch left = NAP_BATCH_INIT;
	int ret;

	if (sort_shuffle(a, n))
		return sort_stopped_early();
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
	return sort_check(a, n, workers);
}

int sort_tasks(const struct options *options, int32_t *a, uint32_t n)
{
	struct sort many = { .left = 0 }, one = { .left = 0 };
	int status;

	status = sort_on(&many, options, options->workers, a, n);
	if (!status)
		status = sort_on(&one, options, 1, a, n);
	if (!status)
		sort_report(options, "by tasks", n, &many.run, &one.run);
	run_free(&many.run);
	run_free(&one.run);
	return status;
}
