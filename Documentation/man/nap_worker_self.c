/* SPDX-License-Identifier: MIT */
#include <nap/nap.h>
#include <stdio.h>

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);

static void say(struct nap_task *task)
{
	struct nap_worker *self = nap_worker_self();

	(void)task;
	if (nap_worker_pool(self) == &pool)
		printf("worker %u\n", (unsigned int)nap_worker_index(self));
}

int main(void)
{
	struct nap_task task = NAP_TASK_INIT(say);

	nap_schedule(&pool, &task);
	return nap_pool_join(&pool, NULL);
}
