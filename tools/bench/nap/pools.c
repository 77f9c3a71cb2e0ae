/* SPDX-License-Identifier: MIT */
/*
 * The cost of a pool: the time to create and join it, and its bytes. In row "cycle" the pauses
 * are so long that the worker sleeps.
 */
#include "nap.h"

static void nothing(struct nap_task *unused)
{
	(void)unused;
	count_done(&bench_count);
}

/* Creates n pools one after the other; each starts all workers, runs a task and is joined. */
static void pools(const struct size *size)
{
	struct nap_config config = { .max_workers = size->workers };
	struct nap_task task = NAP_TASK_INIT(nothing);

	for (uint64_t i = 0; i < size->n; i++) {
		if (nap_pool_init(&bench_pool, &config) ||
		    nap_pool_prewarm(&bench_pool, size->workers))
			row_die("the pool does not start");
		bench_run(&task);
		bench_end();
	}
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
	ROW_TIME("pool", row_time, pools),
	ROW_OF("cycle", row_time, cycle, bench_start, bench_end),
	ROW("bytes-pool", bytes_pool_row),
	ROW("bytes-worker", bytes_worker_row),
	ROW("bytes-task", bytes_task_row),
	ROWS_END,
};
