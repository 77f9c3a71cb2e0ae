/* SPDX-License-Identifier: MIT */
/* Regions of 16 tasks of 0.4 us: the caller waits for each region, and begins the next at once. */
#include "nap.h"

#define TASKS 16u
#define WORK_NS 400u

static struct nap_task tasks[TASKS];
static struct nap_group group nap__line;
static uint64_t regions_n;

static void work_region(struct nap_task *unused)
{
	(void)unused;
	row_work(WORK_NS);
	nap_group_done(&group);
}

static void region(void)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	nap_group_init(&group, &bench_pool);
	nap_group_add(&group, TASKS);
	for (unsigned i = 0; i < TASKS; i++)
		nap_batch_push(&batch, &tasks[i]);
	if (nap_schedule_batch(&bench_pool, &batch) || nap_group_wait(&group))
		row_die("a region failed");
}

static void regions(struct nap_task *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < regions_n; i++)
		region();
	count_done(&bench_count);
}

/* Runs on a worker, which runs tasks while it waits, as the main thread of an OpenMP team does. */
static void regions_once(const struct size *size)
{
	struct nap_task first = NAP_TASK_INIT(regions);

	regions_n = size->n;
	bench_run(&first);
}

static void regions_begin(const struct size *size)
{
	for (unsigned i = 0; i < TASKS; i++)
		nap_task_init(&tasks[i], work_region);
	bench_start(size);
}

const struct row region_rows[] = {
	ROW_OF("regions", row_time, regions_once, regions_begin, bench_end),
	ROWS_END,
};
