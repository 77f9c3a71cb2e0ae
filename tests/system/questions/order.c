/* SPDX-License-Identifier: MIT */
#include "try.h"
#include PIECE

static struct nap_task tasks[1000];
static int next;

static void run(struct nap_task *task)
{
	TRY(task == &tasks[next++]);
}

int main(void)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
	static struct nap_order order;

	TRY(nap_order_init(&order, &pool, 0) == 0);
	for (int i = 0; i < 1000; i++)
		nap_task_init(&tasks[i], run);
	TRY(in_order(&order, tasks, 1000) == 0 && nap_pool_join(&pool, NULL) == 0 && next == 1000);
	return 0;
}
