/* SPDX-License-Identifier: MIT */
#include "try.h"
#include PIECE

static int cpu_of_task = -1, cpus_of_task;

static void where(struct nap_task *task)
{
	cpu_set_t mine;

	(void)task;
	TRY(sched_getaffinity(0, sizeof(mine), &mine) == 0);
	cpus_of_task = CPU_COUNT(&mine);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &mine))
			cpu_of_task = cpu;
}

int main(void)
{
	static struct nap_pool pool;
	struct nap_task task = NAP_TASK_INIT(where);

	TRY(sched_getaffinity(0, sizeof(cpus), &cpus) == 0);
	TRY(pinned(&pool) == 0 && nap_pool_prewarm(&pool, 1) == 0);
	TRY(nap_schedule(&pool, &task) == 0 && nap_pool_join(&pool, NULL) == 0);
	TRY(cpus_of_task == 1 && CPU_ISSET(cpu_of_task, &cpus));
	return 0;
}
