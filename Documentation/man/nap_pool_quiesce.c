/* SPDX-License-Identifier: MIT */
#include <nap/nap.h>
#include <stdio.h>

static struct nap_pool pool;

static void hello(struct nap_task *task)
{
	(void)task;
	puts("hello");
}

int main(void)
{
	struct nap_task task = NAP_TASK_INIT(hello);

	nap_schedule(&pool, &task);
	nap_pool_help(&pool, 1);              /* perhaps here */
	if (nap_pool_quiesce_for(&pool, 1000000000))
		puts("it takes more than a second");
	return nap_pool_join(&pool, NULL);    /* task is in use until then */
}
