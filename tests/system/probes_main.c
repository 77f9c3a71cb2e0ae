/* SPDX-License-Identifier: MIT */
/*
 * Tasks for a debugger that counts probes: ten are scheduled one by one from outside, ten in a
 * batch, and one that schedules ten more on its worker.
 */
#include <nap/nap.h>

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static struct nap_task tasks[30], first;

static void nothing(struct nap_task *task)
{
	(void)task;
}

static void spread(struct nap_task *task)
{
	(void)task;
	for (int i = 20; i < 30; i++)
		nap_schedule(&pool, &tasks[i]);
}

int main(void)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	for (int i = 0; i < 30; i++)
		nap_task_init(&tasks[i], nothing);
	nap_task_init(&first, spread);
	if (nap_pool_prewarm(&pool, 1))
		return 1;
	for (int i = 0; i < 10; i++)
		nap_schedule(&pool, &tasks[i]);
	for (int i = 10; i < 20; i++)
		nap_batch_push(&batch, &tasks[i]);
	nap_schedule_batch(&pool, &batch);
	nap_schedule(&pool, &first);
	return nap_pool_join(&pool, NULL);
}
