// SPDX-License-Identifier: MIT
/* What a pool costs: to create and join it, and in bytes. A pause long enough to sleep: cycle. */
#include "nap.h"

#include <stdio.h>


static struct count count;

static void nothing(struct nap_task *unused)
{
	(void)unused;
	count_done(&count);
}

/* All workers are started, one task is run, and the pool is joined; n pools one after the other. */
static void pools(const struct size *size)
{
	struct nap_config config = { .max_workers = size->workers };
	struct nap_task task = NAP_TASK_INIT(nothing);

	for (uint64_t i = 0; i < size->n; i++) {
		count_set(&count, 1);
		if (nap_pool_init(&bench_pool, &config) ||
		    nap_pool_prewarm(&bench_pool, size->workers))
			row_die("the pool does not start");
		bench_schedule(&task);
		count_wait(&count);
		bench_end();
	}
}

void pool_row(const struct size *size)
{
	row_time(size, pools);
}

/* ---- bytes, by the structures' sizes: a thread's stack is the system's */

void bytes_pool_row(const struct size *size)
{
	row_print(size, sizeof(struct nap_pool), 1);
}

void bytes_task_row(const struct size *size)
{
	row_print(size, sizeof(struct nap_task), 1);
}

/* By what is resident, so that slots that nobody has touched do not count. */
static uint64_t resident(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%*u %lu", &pages) != 1)
		row_die("no /proc/self/statm");
	fclose(file);
	return pages * 4096;
}

void bytes_worker_row(const struct size *size)
{
	uint64_t before = resident(), after;

	bench_start(size);
	after = resident();
	row_print(size, after - before, size->workers);
	bench_end();
}

/* ---- a worker goes to sleep, is woken, runs a task, and sleeps again: CPU time counts */

static void cycle(const struct size *size)
{
	struct nap_task task = NAP_TASK_INIT(nothing);

	for (uint64_t i = 0; i < size->n; i++) {
		count_set(&count, 1);
		bench_schedule(&task);
		count_wait(&count);
		nap_pool_quiesce(&bench_pool);
	}
}

void cycle_row(const struct size *size)
{
	bench_start(size);
	row_time(size, cycle);
	bench_end();
}
