/* SPDX-License-Identifier: MIT */
/*
 * The works. Each starts the pool, begins to measure, has sim_run.tasks tasks of sim_run.grain_ns run, waits
 * for them, and stops measuring. Every task counts its runs: each has to run once.
 */
#include <stddef.h>

#include "program/work.h"

struct task {
	struct nap_task task;
	uint64_t scheduled;	/* ns; 0: its delay is not asked for */
	uint32_t runs;
} __attribute__((aligned(64)));

static struct task *tasks;
static uint64_t nr_tasks;
static uint32_t runs_wanted = 1;	/* of each task */

/* What the tasks add up is the simulator's, not the work's: it costs nothing. */
#define OF_SIMULATOR __attribute__((no_sanitize("thread"), no_sanitize_coverage))

OF_SIMULATOR static void note_delay(uint64_t ns)
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

static void make_tasks(uint64_t n)
{
	nr_tasks = n;
	tasks = sim_alloc(n * sizeof(*tasks), "tasks");
	for (uint64_t i = 0; i < n; i++)
		tasks[i].task.run = run_task;
}

OF_SIMULATOR static void check_tasks(void)
{
	for (uint64_t i = 0; i < nr_tasks; i++)
		if (tasks[i].runs != runs_wanted)
			sim_fail("task %llu ran %u times", (unsigned long long)i, tasks[i].runs);
}

static void begin(void)
{
	sim_run.pool->start();
	sim_measure_begins();
}

static void end(void)
{
	sim_run.pool->wait();
	sim_measure_ends();
	check_tasks();
	sim_result.steals = sim_run.pool->steals();
	sim_run.pool->stop();
}

/* ---- independent tasks, from threads outside */

static void produce(void *arg)
{
	uint64_t number = (uintptr_t)arg, from = nr_tasks * number / sim_run.producers;
	uint64_t to = nr_tasks * (number + 1) / sim_run.producers;

	for (uint64_t i = from; i < to; i++) {
		sim_queued(1);
		sim_run.pool->schedule(&tasks[i].task);
	}
}

static void independent(void)
{
	uint32_t thread[MAX_CPUS];

	make_tasks(sim_run.tasks);
	begin();
	for (unsigned i = 1; i < sim_run.producers; i++)
		thread[i] = sim_thread_start(produce, (void *)(uintptr_t)i, false);
	produce(NULL);
	for (unsigned i = 1; i < sim_run.producers; i++)
		sim_thread_join(thread[i]);
	end();
}

SIM_WORK(independent, .name = "independent", .run = independent, .each = 1000, .grain_ns = 1000,
	 .about = "tasks that know nothing of each other, from --producers threads outside");

/* ---- tasks that workers schedule */

static void run_root(struct nap_task *task)
{
	uint64_t number = (uint64_t)((struct task *)(void *)task - tasks) - sim_run.tasks;
	uint64_t from = sim_run.tasks * number / sim_run.workers, to = sim_run.tasks * (number + 1) / sim_run.workers;

	sim_begins();
	((struct task *)(void *)task)->runs++;
	for (uint64_t i = from; i < to; i++) {
		sim_queued(1);
		sim_run.pool->schedule(&tasks[i].task);
	}
	sim_ends();
}

static void inside(void)
{
	struct nap_batch batch = { 0 };

	make_tasks(sim_run.tasks + sim_run.workers);
	for (unsigned i = 0; i < sim_run.workers; i++) {
		tasks[sim_run.tasks + i].task.run = run_root;
		nap_batch_push(&batch, &tasks[sim_run.tasks + i].task);
	}
	begin();
	sim_queued(sim_run.workers);
	sim_run.pool->schedule_batch(&batch);
	end();
}

SIM_WORK(inside, .name = "inside", .run = inside, .each = 1000, .grain_ns = 1000,
	 .about = "a task for each worker, which schedules a part of the tasks");

/* ---- batches from a thread outside */

static void batches(void)
{
	make_tasks(sim_run.tasks);
	begin();
	for (uint64_t i = 0; i < sim_run.tasks; ) {
		struct nap_batch batch = { 0 };
		uint64_t end = i + 100 < sim_run.tasks ? i + 100 : sim_run.tasks;

		sim_queued(end - i);
		for (; i < end; i++)
			nap_batch_push(&batch, &tasks[i].task);
		sim_run.pool->schedule_batch(&batch);
	}
	end();
}

SIM_WORK(batches, .name = "batches", .run = batches, .each = 1000, .grain_ns = 1000,
	 .about = "tasks in batches of 100, from one thread outside");

/* ---- tasks that schedule themselves again */

static void run_chain(struct nap_task *task)
{
	struct task *t = (struct task *)(void *)task;
	bool again;

	sim_begins();
	again = ++t->runs < runs_wanted;
	sim_work(sim_run.grain_ns);
	sim_ends();
	if (!again)
		return;
	sim_queued(1);
	sim_run.pool->schedule(task);
}

static void chains(void)
{
	struct nap_batch batch = { 0 };

	make_tasks(2 * sim_run.workers);
	runs_wanted = (uint32_t)(sim_run.tasks / nr_tasks ? sim_run.tasks / nr_tasks : 1);
	for (uint64_t i = 0; i < nr_tasks; i++) {
		tasks[i].task.run = run_chain;
		nap_batch_push(&batch, &tasks[i].task);
	}
	begin();
	sim_queued(nr_tasks);
	sim_run.pool->schedule_batch(&batch);
	end();
}

SIM_WORK(chains, .name = "chains", .run = chains, .each = 1000, .grain_ns = 1000,
	 .about = "two tasks for each worker, which schedule themselves again");

/* ---- a burst into a pool that sleeps */

static void burst(void)
{
	struct nap_batch batch = { 0 };
	uint64_t now;

	make_tasks(sim_run.tasks);
	for (uint64_t i = 0; i < sim_run.tasks; i++)
		nap_batch_push(&batch, &tasks[i].task);
	begin();
	now = sim_now();
	for (uint64_t i = 0; i < sim_run.tasks; i++)
		tasks[i].scheduled = now;
	sim_queued(sim_run.tasks);
	sim_run.pool->schedule_batch(&batch);
	end();
}

SIM_WORK(burst, .name = "burst", .run = burst, .tasks = 1000, .grain_ns = 20000,
	 .about = "one batch of tasks into a pool that sleeps");

/* ---- a trickle */

static void trickle(void)
{
	uint64_t next;

	make_tasks(sim_run.tasks);
	begin();
	next = sim_now();
	for (uint64_t i = 0; i < sim_run.tasks; i++) {
		next += 20000 + sim_random(60000);
		sim_sleep_until(next);
		tasks[i].scheduled = sim_now();
		sim_queued(1);
		sim_run.pool->schedule(&tasks[i].task);
	}
	end();
}

SIM_WORK(trickle, .name = "trickle", .run = trickle, .tasks = 200, .grain_ns = 5000,
	 .about = "a task every 20 to 80 us, from one thread outside");

/* ---- fork and join */

static void fork_join(void)
{
	uint64_t leaves = 1, before = 1;
	unsigned n = 1;

	/* The tree of fib(n) has fib(n + 1) leaves. */
	while (leaves + before <= sim_run.tasks) {
		leaves += before;
		before = leaves - before;
		n++;
	}
	begin();
	sim_queued(leaves);
	if (sim_run.pool->fib(n) != before)
		sim_fail("fib(%u) is wrong", n);
	end();
}

SIM_WORK(fork, .name = "fork", .run = fork_join, .each = 1000, .grain_ns = 1000,
	 .about = "a tree of forks, fib(), as deep as it has at most the number of leaves");

/* ---- loops */

static void loop(void)
{
	begin();
	sim_queued(sim_run.tasks);
	sim_run.pool->loop(sim_run.tasks);
	end();
}

SIM_WORK(loop, .name = "loop", .run = loop, .each = 1000, .grain_ns = 1000,
	 .about = "one loop");

static void regions(void)
{
	unsigned nr = 20;

	begin();
	for (unsigned i = 0; i < nr; i++) {
		sim_queued(sim_run.tasks / nr);
		sim_run.pool->loop(sim_run.tasks / nr);
	}
	end();
}

SIM_WORK(regions, .name = "regions", .run = regions, .each = 2000, .grain_ns = 1000,
	 .about = "20 loops, one after another, of as many iterations in all");
