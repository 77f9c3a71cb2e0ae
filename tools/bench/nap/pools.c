/* SPDX-License-Identifier: MIT */
/* The bytes of a pool. In row "cycle" the pauses are so long that the worker sleeps. */
#include "nap.h"

static void nothing(struct nap_task *unused)
{
	(void)unused;
	count_done(&bench_count);
}

/* ---- bytes, by the structures' sizes, without the threads' stacks, which are the system's */

static void bytes_pool_row(const struct size *size)
{
	row_print(size, sizeof(struct nap_pool), 1);
}

static void bytes_task_row(const struct size *size)
{
	row_print(size, sizeof(struct nap_task), 1);
}

/* Measures resident memory, so that untouched slots do not count. */
static void bytes_worker_row(const struct size *size)
{
	uint64_t before = bench_resident(), after;

	bench_start(size);
	after = bench_resident();
	row_print(size, after - before, size->workers);
	bench_end();
}

/* ---- a worker goes to sleep, is woken, runs a task, and sleeps again; measured in CPU time */

static void cycle(const struct size *size)
{
	struct nap_task task = NAP_TASK_INIT(nothing);

	for (uint64_t i = 0; i < size->n; i++) {
		bench_run(&task);
		nap_pool_quiesce(&bench_pool);
	}
}

const struct row pool_rows[] = {
	ROW_OF("cycle", row_time, cycle, bench_start, bench_end),
	ROW("bytes-pool", bytes_pool_row),
	ROW("bytes-worker", bytes_worker_row),
	ROW("bytes-task", bytes_task_row),
	ROWS_END,
};
