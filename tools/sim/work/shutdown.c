/* SPDX-License-Identifier: MIT */
/* The end of a pool with much to do: all of it is done, or what has not begun is handed back. */
#include "work/common.h"
#include "work/nap.h"

static void drained(void)
{
	struct nap_batch batch;

	make_tasks(sim_run.tasks);
	batch = all_tasks();
	begin();
	schedule_all(&batch);
	sim_run.pool->stop();
	sim_measure_ends();
	check_tasks();
}

SIM_WORK(drained, .name = "shutdown", .run = drained, .each = 100, .grain_ns = 2000,
	 .about = "one batch, and at once the end of the pool: until the last worker has left");

static void run_stop(struct nap_task *task)
{
	sim_begins();
	((struct task *)(void *)task)->runs++;
	sim_ends();
	if (nap_pool_shutdown(&work_pool, NAP_STOP))
		sim_fail("the pool does not stop");
}

OF_SIMULATOR static void note_left(struct nap_batch *left)
{
	for (struct nap_task *task = left->head; task; task = task->next)
		((struct task *)(void *)task)->runs++;
}

static void stopped(void)
{
	struct nap_batch batch, left = { 0 };

	make_tasks(sim_run.tasks);
	tasks[nr_tasks / 2].task.run = run_stop;
	batch = all_tasks();
	begin();
	schedule_all(&batch);
	if (nap_pool_join(&work_pool, &left))
		sim_fail("nap_pool_join() fails");
	sim_measure_ends();
	note_left(&left);
	check_tasks();
}

SIM_WORK(stopped, .name = "stop", .run = stopped, .each = 100, .grain_ns = 2000, .nap_only = true,
	 .about = "one batch, whose middle task stops the pool: until the last worker has left");
