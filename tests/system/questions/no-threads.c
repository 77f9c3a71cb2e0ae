/* SPDX-License-Identifier: MIT */
#include "try.h"
#include PIECE

static int count;

static void add(struct nap_task *task)
{
	(void)task;
	count++;
}

int main(void)
{
	/* No address space has room for such a stack: each start fails. */
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2,
						    .stack_size = (size_t)1 << 56);
	struct nap_task task = NAP_TASK_INIT(add);
	struct nap_pool_stats stats;

	TRY(nap_schedule(&pool, &task) == 0);
	work_off(&pool);
	TRY(count == 1);
	TRY(nap_pool_get_stats(&pool, &stats) == 0 && stats.spawn_failures &&
	    stats.spawn_last_errno);
	TRY(nap_schedule(&pool, &task) == 0 && nap_pool_quiesce(&pool) == 0 && count == 2);
	return nap_pool_join(&pool, NULL);
}
