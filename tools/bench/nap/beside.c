/* SPDX-License-Identifier: MIT */
/*
 * Timers and files that become due while all workers are busy. The workers' tasks compute for n
 * microseconds (the row's n), and schedule themselves again.
 */
#include <stdlib.h>

#include <nap/async.h>

#include "beside.h"
#include "common/beside.h"
#include "nap.h"

static struct nap_task *tasks;
static uint64_t task_ns;
static bool ends;

static void computes(struct nap_task *self)
{
	row_work(task_ns);
	if (!__atomic_load_n(&ends, __ATOMIC_RELAXED))
		bench_schedule(self);
}

void beside_begin(const struct size *size)
{
	unsigned n = BESIDE_TASKS * size->workers;

	task_ns = size->n * 1000;
	tasks = calloc(n, sizeof(*tasks));
	if (!tasks)
		row_die("no memory");
	bench_start(size);
	for (unsigned i = 0; i < n; i++) {
		nap_task_init(&tasks[i], computes);
		bench_schedule(&tasks[i]);
	}
}

void beside_end(void)
{
	__atomic_store_n(&ends, true, __ATOMIC_RELAXED);
	bench_end();
	free(tasks);
}

/* ---- how late a sleep ends */

static uint64_t late(const struct size *unused)
{
	static uint32_t state = 1;
	uint64_t length = beside_pause(&state), until = row_now() + length;

	(void)unused;
	nap_sleep(length);
	return row_now() - until;
}

static intptr_t sleeps(void *size)
{
	row_take_each(size, 0, late);
	return 0;
}

static void sleep_beside_row(const struct size *size)
{
	struct nap_fiber *fiber;

	if (nap_spawn(&bench_pool, &fiber, sleeps, (void *)size) || nap_await(fiber, NULL))
		row_die("a fiber does not run");
}

/* Prints the bound that nap/timer.h promises for timers and for files. */
static void due_bound_row(const struct size *size)
{
	row_print(size, NAP_DUE_DEQUEUES, 1);
}

const struct row beside_rows[] = {
	ROW_WITHIN("sleep-beside", sleep_beside_row, beside_begin, beside_end),
	ROW_WITHIN("sleep-idle", sleep_beside_row, bench_start, bench_end),
	ROW("due-bound", due_bound_row),
	ROWS_END,
};
