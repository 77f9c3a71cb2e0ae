/* SPDX-License-Identifier: MIT */
/*
 * Tasks for a debugger that counts probes: ten are scheduled one by one from outside, ten in a
 * batch, and one that schedules ten more on its worker. With an argument: tasks that sleep, for a
 * tracer that attaches, at most for a minute.
 */
#include <nap/nap.h>

#include <unistd.h>

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

static void sleeps(struct nap_task *task)
{
	(void)task;
	usleep(1000);
}

static void go_on(void)
{
	for (int i = 0; i < 6000; i++) {
		nap_task_init(&first, sleeps);
		nap_schedule(&pool, &first);
		nap_pool_quiesce(&pool);
		usleep(10000);
	}
}

int main(int argc, char **argv)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	(void)argv;
	if (argc > 1) {
		go_on();
		return nap_pool_join(&pool, NULL);
	}
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
