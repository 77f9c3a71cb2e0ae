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
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
	static const struct nap_config config = { .max_workers = 1 };
	struct nap_task task = NAP_TASK_INIT(add);

	for (int i = 1; i <= 3; i++) {
		TRY(nap_schedule(&pool, &task) == 0);
		TRY(nap_pool_quiesce(&pool) == 0 && count == 2 * i - 1);
		TRY(nap_schedule(&pool, &task) == 0);
		TRY(start_again(&pool, &config) == 0 && count == 2 * i);
	}
	return 0;
}
