/* SPDX-License-Identifier: MIT */
/* Tasks of four classes, two of which have a limit of the workers that are inside. */
#include <nap/class.h>

#include "work/common.h"
#include "work/nap.h"

static struct nap_classes classes;
static uint32_t class_of[NAP_CLASSES];		/* tasks inside, for each class */

OF_SIMULATOR static uint32_t which(const struct task *task)
{
	uint64_t number = (uint64_t)(task - tasks) * 0x9e3779b97f4a7c15u >> 58;

	return number < 1 ? NAP_CLASS_IDLE : number < 8 ? NAP_CLASS_BATCH :
		number % 2 ? NAP_CLASS_INTERACTIVE : NAP_CLASS_NORMAL;
}

OF_SIMULATOR static void enters(uint32_t class)
{
	uint32_t limit = classes.of[class].limit;

	if (__atomic_add_fetch(&class_of[class], 1, __ATOMIC_SEQ_CST) > limit && limit)
		sim_fail("more than %u workers are inside class %u", limit, class);
}

OF_SIMULATOR static void leaves(uint32_t class)
{
	__atomic_sub_fetch(&class_of[class], 1, __ATOMIC_SEQ_CST);
}

static void run_classed(struct nap_task *task)
{
	struct task *t = (struct task *)(void *)task;
	uint32_t class = which(t);

	sim_begins();
	enters(class);
	t->runs++;
	sim_work(sim_run.grain_ns);
	leaves(class);
	sim_ends();
}

static void with_classes(void)
{
	static const uint32_t weights[NAP_CLASSES] = { 8, 4, 2, 1 };

	for (unsigned i = 0; i < NAP_CLASSES; i++)
		classes.of[i].weight = weights[i];
	classes.of[NAP_CLASS_BATCH].limit = (sim_run.workers + 3) / 4;
	classes.of[NAP_CLASS_IDLE].limit = 1;
	sim_name(&classes, sizeof(classes), "struct nap_classes");
	work_classes = &classes;
	make_tasks(sim_run.tasks);
	begin();
	for (uint64_t i = 0; i < nr_tasks; i++) {
		tasks[i].task.run = run_classed;
		sim_queued(1);
		if (nap_class_schedule(&work_pool, which(&tasks[i]), &tasks[i].task))
			sim_fail("nap_class_schedule() refuses a task");
	}
	end();
}

SIM_WORK(classes, .name = "classes", .run = with_classes, .each = 500, .grain_ns = 2000,
	 .nap_only = true,
	 .about = "tasks of four classes from one thread outside; a quarter of the workers, "
		  "and one, is a class's limit");
