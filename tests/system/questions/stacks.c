/* SPDX-License-Identifier: MIT */
#include "try.h"
#include PIECE

static intptr_t deep(void *arg)
{
	volatile char page[200 << 10];

	for (size_t i = 0; i < sizeof(page); i += 4096)
		page[i] = 1;
	*(int *)arg += 1;
	return page[0];
}

static void deeper(struct nap_task *task)
{
	volatile char page[3 << 20];

	(void)task;
	for (size_t i = 0; i < sizeof(page); i += 4096)
		page[i] = 1;
}

int main(void)
{
	struct nap_task task = NAP_TASK_INIT(deeper);
	struct nap_fiber *fiber;
	intptr_t result;
	int ran = 0;

	TRY(large_fibers() == 0 && nap_spawn(&pool, &fiber, deep, &ran) == 0);
	TRY(nap_await(fiber, &result) == 0 && result == 1 && ran == 1);
	TRY(nap_pool_prewarm(&pool, 1) == 0 && nap_schedule(&pool, &task) == 0);
	return nap_pool_join(&pool, NULL);
}
