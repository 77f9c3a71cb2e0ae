/* SPDX-License-Identifier: MIT */
/*
 * nap-demo sort: the quicksort of Zap's repository (tools/works/quicksort.h), by tasks, and by fork
 * and join.
 *
 * By tasks: unlike in the benchmark, no task joins another. A part of the array is a task, and
 * the run's group counts the tasks in flight. The array of numbers is divided into blocks of
 * SORT_CUTOFF. Parts that have to be split are longer than a block and do not overlap, so no two
 * of them begin in the same block. The task of a part has the index of the block in which the
 * part begins, in one array of tasks.
 */
#include "demo.h"
#include "quicksort_forks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct sorting;

struct range {
	struct nap_task task;
	struct sorting *s;
	uint32_t first;
	uint32_t len;
};

struct sorting {
	struct run run;
	int32_t *a;
	uint32_t n;
	struct range *parts;	/* of the sort by tasks */
};

static void sort_task(struct nap_task *task);

/* Pushes a part that a task has to split, or sorts a smaller part at once. */
static void push(struct nap_batch *batch, struct sorting *s, uint32_t first, uint32_t len)
{
	struct range *part = &s->parts[first / SORT_CUTOFF];

	if (len <= SORT_CUTOFF) {
		sort_by_insertion(s->a + first, len);
		return;
	}
	*part = (struct range){ .s = s, .first = first, .len = len };
	nap_task_init(&part->task, sort_task);
	nap_batch_push(batch, &part->task);
}

static void schedule(struct sorting *s, struct nap_batch *batch)
{
	if (!batch->count)
		return;
	nap_group_add(&s->run.group, (uint32_t)batch->count);
	nap_schedule_batch(&s->run.pool, batch);
}

static void sort_task(struct nap_task *task)
{
	struct range part = *nap_container_of(task, struct range, task);
	struct nap_batch batch = NAP_BATCH_INIT;
	uint32_t mid;

	mid = sort_partition(part.s->a + part.first, part.len);
	push(&batch, part.s, part.first, mid);
	push(&batch, part.s, part.first + mid + 1, part.len - mid - 1);
	schedule(part.s, &batch);
	nap_group_done(&part.s->run.group);
}

static int by_tasks(struct run *run, struct nap_worker *worker)
{
	struct sorting *s = nap_container_of(run, struct sorting, run);
	struct nap_batch batch = NAP_BATCH_INIT;

	(void)worker;
	push(&batch, s, 0, s->n);
	schedule(s, &batch);
	return 0;
}

static int by_forks(struct run *run, struct nap_worker *worker)
{
	struct sorting *s = nap_container_of(run, struct sorting, run);

	sort(worker, nap_top(worker), (struct part){ s->a, s->n });
	return 0;
}

static bool right(const struct run *run)
{
	const struct sorting *s = nap_container_of(run, const struct sorting, run);

	return sort_verify(s->a, s->n);
}

static int sort_twice(const struct sorting *s, const struct options *options)
{
	const char *how = s->parts ? "tasks" : "fork and join";
	struct sorting many = *s, one = *s;
	char buf[32], what[32];
	int status;

	snprintf(what, sizeof(what), "the sort by %s", how);
	sort_shuffle(many.a, many.n);
	status = run_checked(&many.run, options, options->workers, what);
	if (!status) {
		sort_shuffle(one.a, one.n);
		status = run_checked(&one.run, options, 1, what);
	}
	if (!status) {
		printf("%s numbers sorted twice by %s; both results are right\n",
		       digits(many.n, buf), how);
		report_times(&many.run, &one.run);
		report_runs(options, &many.run, &one.run);
	}
	run_free(&many.run);
	run_free(&one.run);
	return status;
}

int cmd_sort(const struct options *options, uint64_t n)
{
	struct sorting tasks = { .run = { .work = by_tasks, .right = right }, .n = (uint32_t)n };
	struct sorting forks = { .run = { .work = by_forks, .right = right }, .n = (uint32_t)n };
	int status = EXIT_FAILED;

	tasks.a = forks.a = malloc(n * sizeof(*forks.a));
	tasks.parts = malloc((n / SORT_CUTOFF + 1) * sizeof(*tasks.parts));
	if (tasks.a && tasks.parts)
		status = sort_twice(&tasks, options);
	else
		report_error(ENOMEM);
	if (!status) {
		putchar('\n');
		status = sort_twice(&forks, options);
	}
	free(tasks.parts);
	free(tasks.a);
	return status;
}
