/* SPDX-License-Identifier: MIT */
/*
 * Forks and loops on the locked queue. A fork is a task in the queue, and a join runs queued tasks
 * until its own is done. A loop is cut into four chunks a worker, the usual choice where nothing is
 * known of the body.
 */
#include <stddef.h>
#include <string.h>

#include "work/locked.h"

struct fork {
	struct nap_task task;
	unsigned n;
	uint32_t done;
	uint64_t result;
};

static uint64_t fib_of(unsigned n);

static void run_fork(struct nap_task *task)
{
	struct fork *fork = (struct fork *)(void *)task;

	fork->result = fib_of(fork->n);
	__atomic_store_n(&fork->done, 1, __ATOMIC_RELEASE);
}

static uint64_t fib_of(unsigned n)
{
	struct fork fork = { .task.run = run_fork, .n = n - 1 };
	uint64_t right;

	if (n < 2) {
		work_leaf();
		return n;
	}
	locked_push(&fork.task, &fork.task, 1);
	right = fib_of(n - 2);
	while (!__atomic_load_n(&fork.done, __ATOMIC_ACQUIRE))
		locked_help();
	return right + fork.result;
}

uint64_t locked_fib(unsigned n)
{
	struct fork first = { .task.run = run_fork, .n = n };

	locked_push(&first.task, &first.task, 1);
	locked_wait();
	return first.result;
}

/* ---- forks of several things */

struct thing {
	struct nap_task task;
	work_fn body;
	void *arg;
	uint32_t done;
};

static void run_thing(struct nap_task *task)
{
	struct thing *thing = (struct thing *)(void *)task;

	thing->body(NULL, thing->arg);
	__atomic_store_n(&thing->done, 1, __ATOMIC_RELEASE);
}

void locked_each(void *ctx, work_fn body, void *things, size_t size, unsigned n)
{
	struct thing thing[EACH_MOST];

	for (unsigned i = 1; i < n; i++) {
		thing[i] = (struct thing){ { NULL, run_thing }, body, (char *)things + i * size,
					   0 };
		thing[i - 1].task.next = &thing[i].task;
	}
	if (n > 1)
		locked_push(&thing[1].task, &thing[n - 1].task, n - 1);
	body(ctx, things);
	for (unsigned i = 1; i < n; i++)
		while (!__atomic_load_n(&thing[i].done, __ATOMIC_ACQUIRE))
			locked_help();
}

void locked_call(work_fn body, void *arg)
{
	struct thing thing = { { NULL, run_thing }, body, arg, 0 };

	locked_push(&thing.task, &thing.task, 1);
	locked_wait();
}

/* ---- loops */

struct chunk {
	struct nap_task task;
	uint64_t begin, end, sum;
};
static struct chunk *chunks;

static void run_chunk(struct nap_task *task)
{
	struct chunk *chunk = (struct chunk *)(void *)task;

	for (uint64_t i = chunk->begin; i < chunk->end; i++)
		loop_body(i);
}

static void add_chunk(struct nap_task *task)
{
	struct chunk *chunk = (struct chunk *)(void *)task;
	uint64_t sum = 0;

	for (uint64_t i = chunk->begin; i < chunk->end; i++)
		sum += loop_value(i);
	chunk->sum = sum;
}

static uint64_t run_chunks(uint64_t n, nap_task_fn run)
{
	uint64_t nr = 4 * (uint64_t)sim_run.workers, sum = 0;

	if (!chunks)
		chunks = sim_alloc(nr * sizeof(*chunks), "chunks of a loop");
	for (uint64_t i = 0; i < nr; i++) {
		chunks[i] = (struct chunk){ { NULL, run }, n * i / nr, n * (i + 1) / nr, 0 };
		if (i)
			chunks[i - 1].task.next = &chunks[i].task;
	}
	locked_push(&chunks[0].task, &chunks[nr - 1].task, nr);
	locked_wait();
	for (uint64_t i = 0; i < nr; i++)
		sum += chunks[i].sum;
	return sum;
}

void locked_loop(uint64_t n)
{
	run_chunks(n, run_chunk);
}

uint64_t locked_reduce(uint64_t n)
{
	return run_chunks(n, add_chunk);
}

/* ---- a merge sort: halves of at least SERIAL numbers are forked */

#define SERIAL	500u

struct part {
	uint32_t *numbers, *beside;
	uint64_t n;
};

static void merge(uint32_t *numbers, uint32_t *beside, uint64_t half, uint64_t n)
{
	uint64_t left = 0, right = half, to = 0;

	memcpy(beside, numbers, n * sizeof(*numbers));
	while (left < half && right < n) {
		bool from_left = work_compare(&beside[left], &beside[right], NULL) <= 0;

		numbers[to++] = from_left ? beside[left++] : beside[right++];
	}
	while (left < half)
		numbers[to++] = beside[left++];
}

static void sort_part(void *ctx, void *arg)
{
	struct part *part = arg, halves[2];
	uint64_t half = part->n / 2;

	if (part->n < 2)
		return;
	halves[0] = (struct part){ part->numbers, part->beside, half };
	halves[1] = (struct part){ part->numbers + half, part->beside + half, part->n - half };
	if (part->n < 2 * SERIAL) {
		sort_part(ctx, &halves[0]);
		sort_part(ctx, &halves[1]);
	} else {
		locked_each(ctx, sort_part, halves, sizeof(halves[0]), 2);
	}
	merge(part->numbers, part->beside, half, part->n);
}

void locked_sort(uint32_t *numbers, uint64_t n)
{
	struct part all = { numbers, sim_alloc(n * sizeof(*numbers), "numbers beside"), n };

	locked_call(sort_part, &all);
}
