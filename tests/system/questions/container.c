/* SPDX-License-Identifier: MIT */
#include "try.h"
#include PIECE

static void nothing(struct nap_task *task)
{
	(void)task;
}

int main(void)
{
	struct nap_task task = NAP_TASK_INIT(nothing);
	struct nap_pool_stats stats;
	cpu_set_t one;
	int cpu = sched_getcpu();

	TRY(nap_schedule(&pool, &task) == 0 && nap_pool_get_stats(&pool, &stats) == 0);
	TRY(stats.max_workers == nap_cpu_count());
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	TRY(sched_setaffinity(0, sizeof(one), &one) == 0);
	TRY(nap_pool_get_stats(&pool, &stats) == 0 && nap_cpu_count() == 1);
	TRY(resized() == 1);
	return nap_pool_join(&pool, NULL);
}
