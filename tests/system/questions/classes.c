/* SPDX-License-Identifier: MIT */
#include "try.h"
#include PIECE

static int first_begun, go_on, batches, urgents;

static void first(struct nap_task *task)
{
	(void)task;
	SET(first_begun);
	UNTIL(go_on);
}

static void batch(struct nap_task *task)
{
	(void)task;
	__atomic_fetch_add(&batches, 1, __ATOMIC_RELAXED);
}

static void quick(struct nap_task *task)
{
	(void)task;
	/* By their weights some 2 of 100 batches have begun before the last urgent one. */
	if (++urgents == 10)
		TRY(__atomic_load_n(&batches, __ATOMIC_RELAXED) < 50);
}

int main(void)
{
	static struct nap_task tasks[100], quicks[10], gate = NAP_TASK_INIT(first);
	struct nap_config config = { .max_workers = 1, .classes = &classes };

	TRY(nap_pool_init(&pool, &config) == 0 && nap_schedule(&pool, &gate) == 0);
	UNTIL(first_begun);
	for (int i = 0; i < 100; i++) {
		nap_task_init(&tasks[i], batch);
		TRY(nap_class_schedule(&pool, NAP_CLASS_BATCH, &tasks[i]) == 0);
	}
	for (int i = 0; i < 10; i++) {
		nap_task_init(&quicks[i], quick);
		TRY(urgent(&quicks[i]) == 0);
	}
	SET(go_on);
	TRY(nap_pool_join(&pool, NULL) == 0 && batches == 100 && urgents == 10);
	return 0;
}
