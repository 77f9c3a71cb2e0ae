/* SPDX-License-Identifier: MIT */
/*
 * Races of the program itself, beside everything that nap does: after each call, inside each
 * callback, and in memory that nap has given back. A detector has to report each race, in
 * race_NAME().
 */
#include "program.h"

struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);

#define RACE(name) \
static int name; \
static __attribute__((noinline)) void race_##name(void) \
{ \
	name++; \
}

/* Runs @run on two threads that nothing orders. */
static void twice(void *(*run)(void *))
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

#define AFTER(name, call) \
RACE(after_##name) \
static void *after_##name##_twice(void *unused) \
{ \
	call; \
	race_after_##name(); \
	return unused; \
}

static struct nap_group added = NAP_GROUP_INIT(&pool), finished = NAP_GROUP_INIT(&pool);
static struct nap_group empty = NAP_GROUP_INIT(&pool), in_vain = NAP_GROUP_INIT(&pool);
static struct nap_pool ended = NAP_POOL_INIT(.max_workers = 1);

static void free_task(struct nap_task *task)
{
	free(task);
}

static struct nap_task *new_task(void)
{
	struct nap_task *task = malloc(sizeof(*task));

	nap_task_init(task, free_task);
	return task;
}

static void schedule_batch(void)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	nap_batch_push(&batch, new_task());
	want(!nap_schedule_batch(&pool, &batch), "schedule a batch");
}

struct last {
	struct nap_task task;
	struct nap_group group;
};

static void done(struct nap_task *task)
{
	nap_group_done(&nap_container_of(task, struct last, task)->group);
}

static void wait_for_task(void)
{
	struct last last = { NAP_TASK_INIT(done), NAP_GROUP_INIT(&pool) };

	nap_group_add(&last.group, 1);
	want(!nap_schedule(&pool, &last.task) && !nap_group_wait(&last.group), "wait");
}

static void do_nothing(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
}

static void run_job(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	(void)frame;
}

AFTER(schedule, nap_schedule(&pool, new_task()))
AFTER(schedule_batch, schedule_batch())
AFTER(group_add, nap_group_add(&added, 1))
AFTER(group_done, nap_group_done(&finished))
AFTER(group_wait, nap_group_wait(&empty))
AFTER(group_wait_for, nap_group_wait_for(&in_vain, 1000))
AFTER(wait_for_task, wait_for_task())
AFTER(quiesce, nap_pool_quiesce(&pool))
AFTER(help, nap_pool_help(&pool, 1))
AFTER(prewarm, nap_pool_prewarm(&pool, 1))
AFTER(call, nap_call(&pool, do_nothing, NULL))
AFTER(stats, nap_pool_get_stats(&pool, &(struct nap_pool_stats){ 0 }))
AFTER(worker_stats, nap_worker_get_stats(&pool, 0, &(struct nap_worker_stats){ 0 }))
AFTER(shutdown, nap_pool_shutdown(&ended, NAP_DRAIN))
AFTER(join, nap_pool_join(&ended, NULL))

static void after_calls(void)
{
	nap_group_add(&finished, 2);
	nap_group_add(&in_vain, 1);
	twice(after_schedule_twice);
	twice(after_schedule_batch_twice);
	twice(after_group_add_twice);
	twice(after_group_done_twice);
	twice(after_group_wait_twice);
	twice(after_group_wait_for_twice);
	twice(after_wait_for_task_twice);
	twice(after_quiesce_twice);
	twice(after_help_twice);
	twice(after_prewarm_twice);
	twice(after_call_twice);
	twice(after_stats_twice);
	twice(after_worker_stats_twice);
	twice(after_shutdown_twice);
	twice(after_join_twice);
}

/* ---- callbacks */

RACE(in_task)
RACE(in_call)
RACE(in_job)
RACE(after_fork)
RACE(after_fork_and_join)
RACE(in_start)
RACE(in_stop)

static int tasks_are_there FLAG, calls_are_there FLAG, stolen FLAG, forked FLAG, joined FLAG;

static void meet_in_task(struct nap_task *task)
{
	flag_up(&tasks_are_there);
	await(&tasks_are_there, 2);
	race_in_task();
	free(task);
}

static void *meet_in_task_twice(void *unused)
{
	struct nap_task *task = new_task();

	nap_task_init(task, meet_in_task);
	nap_schedule(&pool, task);
	return unused;
}

static void meet_in_call(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
	flag_up(&calls_are_there);
	await(&calls_are_there, 2);
	race_in_call();
}

static void *meet_in_call_twice(void *unused)
{
	nap_call(&pool, meet_in_call, NULL);
	return unused;
}

static void be_stolen(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	(void)frame;
	race_in_job();
	race_after_fork();
	flag_up(&stolen);
}

static void fork_and_race(struct nap_worker *worker, void *unused)
{
	struct nap_frame *top = nap_top(worker);

	(void)unused;
	nap_fork(worker, top, be_stolen);
	await(&stolen, 1);
	race_in_job();
	race_after_fork();
	want(!nap_join(worker, top), "nobody has stolen");
}

/* Forks and joins on two workers at once, so that neither is a guest on the other's record. */
static void fork_and_join(struct nap_worker *worker, void *unused)
{
	struct nap_frame *top = nap_top(worker);

	(void)unused;
	flag_up(&forked);
	await(&forked, 2);
	nap_fork(worker, top, run_job);
	nap_join(worker, top);
	race_after_fork_and_join();
	flag_up(&joined);
	await(&joined, 2);
}

static void *fork_and_join_twice(void *unused)
{
	nap_call(&pool, fork_and_join, NULL);
	return unused;
}

static void start(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
	race_in_start();
}

static void stop(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
	race_in_stop();
}

static void inside(void)
{
	static struct nap_pool watched = NAP_POOL_INIT(.max_workers = 2, .worker_start = start,
						       .worker_stop = stop);

	twice(meet_in_task_twice);
	twice(meet_in_call_twice);
	nap_call(&pool, fork_and_race, NULL);
	twice(fork_and_join_twice);
	nap_pool_prewarm(&watched, 2);
	nap_pool_join(&watched, NULL);
}

/* ---- memory that was nap's */

static struct nap_pool past = NAP_POOL_INIT(.max_workers = 1);
static struct last last = { NAP_TASK_INIT(done), NAP_GROUP_INIT(&past) };

#define IN_MEMORY(name, of) \
static __attribute__((noinline)) void race_##name(void) \
{ \
	++*(int *)(void *)(of); \
} \
static void *name##_twice(void *unused) \
{ \
	race_##name(); \
	return unused; \
}

IN_MEMORY(memory_of_pool, &past)
IN_MEMORY(memory_of_group, &last.group)
IN_MEMORY(memory_of_task, &last.task)

static void memory(void)
{
	nap_group_add(&last.group, 1);
	want(!nap_schedule(&past, &last.task) && !nap_group_wait(&last.group), "wait");
	want(!nap_pool_join(&past, NULL), "join");
	twice(memory_of_pool_twice);
	twice(memory_of_group_twice);
	twice(memory_of_task_twice);
}

int main(void)
{
	after_calls();
	inside();
	memory();
	want(!nap_pool_join(&pool, NULL), "join");
	puts("done");
	return 0;
}
