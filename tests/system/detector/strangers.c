/* SPDX-License-Identifier: MIT */
/*
 * Threads that nothing orders, each with a pool of its own: any thread may be the first to ask
 * which detector watches.
 */
#include "program.h"

enum { STRANGERS = 3 };

static struct {
	pthread_t thread;
	struct nap_pool pool;
	struct work work;
} strangers[STRANGERS];

static void square_own(struct nap_task *task)
{
	struct work *w = nap_container_of(task, struct work, task);

	w->out = w->in * w->in;
}

static void *use_own_pool(void *arg)
{
	int i = *(int *)arg;
	struct nap_pool *own = &strangers[i].pool;
	struct work *w = &strangers[i].work;

	w->in = i;
	nap_task_init(&w->task, square_own);
	want(!nap_pool_init(own, &(struct nap_config){ .max_workers = 1 }), "init");
	want(!nap_schedule(own, &w->task), "schedule");
	want(!nap_pool_join(own, NULL), "join");
	want(w->out == i * i, "ran");
	return NULL;
}

int main(void)
{
	static int numbers[STRANGERS];

	for (int i = 0; i < STRANGERS; i++) {
		numbers[i] = i;
		want(!pthread_create(&strangers[i].thread, NULL, use_own_pool, &numbers[i]),
		     "thread");
	}
	for (int i = 0; i < STRANGERS; i++)
		pthread_join(strangers[i].thread, NULL);
	puts("done");
	return 0;
}
