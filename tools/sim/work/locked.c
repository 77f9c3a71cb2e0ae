/* SPDX-License-Identifier: MIT */
/*
 * The simplest alternative to nap: one queue for all, under a mutex, and workers that sleep on a
 * condition. locked_forms.c has its forks and loops.
 */
#include <stddef.h>

#include "program/work.h"
#include "work/locked.h"
#include "work/mutex.h"

static struct {
	struct mutex lock;
	uint32_t generation;		/* the condition: changes at each wake */
	uint32_t sleepers;
	bool ends;
	struct nap_task *head, *tail;
	uint64_t left __attribute__((aligned(64)));	/* tasks that have not ended */
	uint32_t quiet;			/* 0: nobody waits, 1: somebody waits until none is left */
} queue __attribute__((aligned(64)));
static uint32_t threads_of[MAX_CPUS];

static struct nap_task *take(void)
{
	struct nap_task *task = queue.head;

	if (task) {
		queue.head = task->next;
		if (!queue.head)
			queue.tail = NULL;
	}
	return task;
}

static void ended(uint64_t n)
{
	if (__atomic_sub_fetch(&queue.left, n, __ATOMIC_SEQ_CST))
		return;
	if (__atomic_exchange_n(&queue.quiet, 0, __ATOMIC_SEQ_CST))
		sim_futex_wake(&queue.quiet, 1);
}

static void worker(void *arg)
{
	(void)arg;
	mutex_lock(&queue.lock);
	for (;;) {
		struct nap_task *task = take();
		uint32_t generation;

		if (task) {
			mutex_unlock(&queue.lock);
			task->run(task);
			ended(1);
			mutex_lock(&queue.lock);
			continue;
		}
		if (queue.ends)
			break;
		queue.sleepers++;
		generation = __atomic_load_n(&queue.generation, __ATOMIC_RELAXED);
		mutex_unlock(&queue.lock);
		sim_futex_wait(&queue.generation, generation, UINT64_MAX);
		mutex_lock(&queue.lock);
		queue.sleepers--;
	}
	mutex_unlock(&queue.lock);
}

static void start(void)
{
	sim_name(&queue, sizeof(queue), "the locked queue");
	for (unsigned i = 0; i < sim_run.workers; i++)
		threads_of[i] = sim_thread_start(worker, NULL, true);
	sim_sleep_until(sim_now() + 2000000);
}

void locked_push(struct nap_task *head, struct nap_task *tail, uint64_t n)
{
	uint32_t sleepers;

	__atomic_fetch_add(&queue.left, n, __ATOMIC_RELAXED);
	tail->next = NULL;
	mutex_lock(&queue.lock);
	if (queue.tail)
		queue.tail->next = head;
	else
		queue.head = head;
	queue.tail = tail;
	sleepers = queue.sleepers;
	if (sleepers)
		__atomic_store_n(&queue.generation, queue.generation + 1, __ATOMIC_RELAXED);
	mutex_unlock(&queue.lock);
	if (sleepers)
		sim_futex_wake(&queue.generation, n < sleepers ? (uint32_t)n : sleepers);
}

static void schedule(struct nap_task *task)
{
	locked_push(task, task, 1);
}

static void schedule_batch(struct nap_batch *batch)
{
	locked_push(batch->head, batch->tail, batch->count);
}

void locked_wait(void)
{
	for (;;) {
		__atomic_store_n(&queue.quiet, 1, __ATOMIC_SEQ_CST);
		if (!__atomic_load_n(&queue.left, __ATOMIC_SEQ_CST))
			return;
		sim_futex_wait(&queue.quiet, 1, UINT64_MAX);
	}
}

void locked_help(void)
{
	struct nap_task *task;

	mutex_lock(&queue.lock);
	task = take();
	mutex_unlock(&queue.lock);
	if (task) {
		task->run(task);
		ended(1);
	} else {
		sim_relax();
	}
}

static void stop(void)
{
	mutex_lock(&queue.lock);
	queue.ends = true;
	__atomic_store_n(&queue.generation, queue.generation + 1, __ATOMIC_RELAXED);
	mutex_unlock(&queue.lock);
	sim_futex_wake(&queue.generation, UINT32_MAX);
	for (unsigned i = 0; i < sim_run.workers; i++)
		sim_thread_join(threads_of[i]);
}

static uint64_t steals(void)
{
	return 0;
}

SIM_POOL(locked, .name = "locked", .about = "one queue with a mutex and a condition",
	 .start = start, .schedule = schedule, .schedule_batch = schedule_batch,
	 .wait = locked_wait, .fib = locked_fib, .loop = locked_loop, .reduce = locked_reduce,
	 .sort = locked_sort, .call = locked_call, .each = locked_each, .stop = stop,
	 .steals = steals);
