/* SPDX-License-Identifier: MIT */
#include "program.h"

struct nap_pool pool;

void square(struct nap_task *task)
{
	struct work *work = nap_container_of(task, struct work, task);

	work->out = work->in * work->in;
	if (work->group)
		nap_group_done(work->group);
}

void check_squares(struct work *work)
{
	for (int i = 0; i < NR; i++)
		want(work[i].out == i * i, "a task did not do its work");
}

struct work *schedule(struct nap_pool *p, struct nap_group *group, bool as_batch)
{
	struct work *work = calloc(NR, sizeof(*work));
	struct nap_batch batch = NAP_BATCH_INIT;

	if (group)
		nap_group_add(group, NR);
	for (int i = 0; i < NR; i++) {
		work[i] = (struct work){ NAP_TASK_INIT(square), group, i, 0 };
		if (as_batch)
			nap_batch_push(&batch, &work[i].task);
		else
			want(!nap_schedule(p, &work[i].task), "schedule");
	}
	want(!nap_schedule_batch(p, &batch), "schedule a batch");
	return work;
}

/* Work from before main(), and perhaps from before the library's own constructor. */
static struct work early = { .task = NAP_TASK_INIT(square) };
static struct nap_pool early_pool = NAP_POOL_INIT(.max_workers = 1);
static int worker_is_there FLAG;

static void say_so(struct nap_task *task)
{
	(void)task;
	flag_up(&worker_is_there);
}

static __attribute__((constructor)) void begin_early(void)
{
	static struct nap_task first = NAP_TASK_INIT(say_so);

	want(!nap_schedule(&early_pool, &first), "schedule");
	await(&worker_is_there, 1);
	early.in = 7;
	want(!nap_schedule(&early_pool, &early.task), "schedule");
}

#ifdef RACE
static struct nap_task two[2];
static int raced, there FLAG, written FLAG;

/*
 * Races on two workers, one after the other. If both accesses came at the same time,
 * ThreadSanitizer might see neither: each access would be checked before the other is recorded.
 */
static void race(struct nap_task *task)
{
	flag_up(&there);
	await(&there, 2);
	if (task == &two[1])
		await(&written, 1);
	raced++;
	flag_up(&written);
}

/* Schedules two tasks. Nothing orders the one before the other. */
static void races(void)
{
	for (int i = 0; i < 2; i++) {
		nap_task_init(&two[i], race);
		nap_schedule(&pool, &two[i]);
	}
	nap_pool_quiesce(&pool);
}
#else
#define races() ((void)0)
#endif

int main(void)
{
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 2, LOOKED_AT });
	looks_begin();
	races();
	tasks();
	reused();
	chains();
	forks();
	callers();
	left_to_workers();
	handed_back();
	answered();
	helped(false);
	helped(true);
	returned();
	stopped_while_hopping();
	joiners();
	join_and_go_on();
	half_joined();
	want(!nap_pool_join(&early_pool, NULL) && early.out == 49, "an early task");
	ends();
	kit();
	looks_end();
	want(!nap_pool_join(&pool, NULL), "join");
	check_callbacks();
	puts("done");
	return 0;
}
