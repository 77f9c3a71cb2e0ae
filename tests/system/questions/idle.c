/* SPDX-License-Identifier: MIT */
#include "try.h"
#include PIECE

static void nothing(struct nap_task *task)
{
	(void)task;
}

static uint32_t workers(void)
{
	struct nap_pool_stats stats;

	TRY(nap_pool_get_stats(&pool, &stats) == 0);
	return stats.spawned;
}

int main(void)
{
	struct nap_task task = NAP_TASK_INIT(nothing);

	TRY(nap_schedule(&pool, &task) == 0 && nap_pool_quiesce(&pool) == 0 && workers() == 1);
	TRY(nap_pool_prewarm(&pool, 5) == 0 && workers() == 5);
	TRY(nap_pool_set_idle(&pool, 2, 1) == 0);	/* else the test lasts ten seconds */
	while (workers() > 2)
		usleep(1000);
	return nap_pool_join(&pool, NULL);
}
