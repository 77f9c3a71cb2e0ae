/* SPDX-License-Identifier: MIT */
/* Tasks and iterations that count their runs: each has to run once. */
#include "work/common.h"

struct task *tasks;
uint64_t nr_tasks;
uint32_t runs_wanted = 1;

static uint8_t *seen;			/* how often each iteration was done */
static uint64_t nr_seen, iteration_ns;
static bool is_uneven;

OF_SIMULATOR void note_delay(uint64_t ns)
{
	sim_result.waited_sum += ns * NS;
	if (ns * NS > sim_result.waited_most)
		sim_result.waited_most = ns * NS;
}

void work_leaf(void)
{
	sim_begins();
	sim_work(sim_run.grain_ns);
	sim_ends();
}

static void run_task(struct nap_task *task)
{
	struct task *t = (struct task *)(void *)task;

	sim_begins();
	t->runs++;
	if (t->scheduled)
		note_delay(sim_now() - t->scheduled);
	sim_work(sim_run.grain_ns);
	sim_ends();
}

void make_tasks(uint64_t n)
{
	nr_tasks = n;
	tasks = sim_alloc(n * sizeof(*tasks), "tasks");
	for (uint64_t i = 0; i < n; i++)
		tasks[i].task.run = run_task;
}

struct nap_batch all_tasks(void)
{
	struct nap_batch batch = { 0 };

	for (uint64_t i = 0; i < nr_tasks; i++)
		nap_batch_push(&batch, &tasks[i].task);
	return batch;
}

void schedule_all(struct nap_batch *batch)
{
	sim_queued(nr_tasks);
	sim_run.pool->schedule_batch(batch);
}

OF_SIMULATOR void check_tasks(void)
{
	for (uint64_t i = 0; i < nr_tasks; i++)
		if (tasks[i].runs != runs_wanted)
			sim_fail("task %llu ran %u times", (unsigned long long)i, tasks[i].runs);
}

void begin(void)
{
	sim_run.pool->start();
	sim_measure_begins();
}

void end(void)
{
	sim_run.pool->wait();
	sim_measure_ends();
	check_tasks();
	sim_result.steals = sim_run.pool->steals();
	sim_run.pool->stop();
}

/* ---- iterations */

OF_SIMULATOR void iterations_begin(uint64_t n, uint64_t ns, bool uneven)
{
	if (!seen || n > nr_seen)
		seen = sim_alloc(n, "the simulator's own");
	nr_seen = n;
	iteration_ns = ns;
	is_uneven = uneven;
	for (uint64_t i = 0; i < n; i++)
		seen[i] = 0;
	sim_queued(n);
}

OF_SIMULATOR void iterations_checked(void)
{
	for (uint64_t i = 0; i < nr_seen; i++)
		if (seen[i] != 1)
			sim_fail("iteration %llu was done %u times", (unsigned long long)i,
				 seen[i]);
}

OF_SIMULATOR static uint64_t note_iteration(uint64_t i)
{
	if (i >= nr_seen)
		sim_fail("there is no iteration %llu", (unsigned long long)i);
	seen[i]++;
	return is_uneven ? 2 * iteration_ns * i / nr_seen : iteration_ns;
}

void loop_body(uint64_t i)
{
	uint64_t ns = note_iteration(i);

	sim_begins();
	sim_work(ns);
	sim_ends();
}

/* loops.c knows the right sum over all iterations. */
uint64_t loop_value(uint64_t i)
{
	loop_body(i);
	return i * i % 1009;
}
