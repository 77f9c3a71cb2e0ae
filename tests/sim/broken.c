/* SPDX-License-Identifier: MIT */
/*
 * A faulty pool: the workloads of nap-sim (tools/sim/work/) have to notice each fault. Everything
 * runs at once, on the calling thread. A schedule forgets its 50th task, a loop does one iteration
 * in place of another, a sum forgets one number, a sort leaves two numbers where they are, and of
 * several forks the last does not run.
 */
#include "program/work.h"

static unsigned nr_scheduled;

static void start(void)
{
}

static void schedule(struct nap_task *task)
{
	if (++nr_scheduled != 50)
		task->run(task);
}

static void schedule_batch(struct nap_batch *batch)
{
	for (struct nap_task *task = batch->head, *next; task; task = next) {
		next = task == batch->tail ? NULL : task->next;
		schedule(task);
	}
}

static uint64_t fib(unsigned n)
{
	return n;
}

static void loop(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		loop_body(i == 7 ? 8 : i);
}

static uint64_t reduce(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += loop_value(i);
	return sum - 1;
}

static void sort(uint32_t *numbers, uint64_t n)
{
	(void)numbers;
	(void)n;
}

static void call(work_fn body, void *arg)
{
	body(NULL, arg);
}

static void each(void *ctx, work_fn body, void *things, size_t size, unsigned n)
{
	for (unsigned i = 0; i + 1 < n; i++)
		body(ctx, (char *)things + i * size);
}

static uint64_t steals(void)
{
	return 0;
}

SIM_POOL(broken, .name = "broken", .about = "a pool that forgets tasks", .start = start,
	 .schedule = schedule, .schedule_batch = schedule_batch, .wait = start, .fib = fib,
	 .loop = loop, .reduce = reduce, .sort = sort, .call = call, .each = each, .stop = start,
	 .steals = steals);
