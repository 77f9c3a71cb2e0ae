/* SPDX-License-Identifier: MIT */
/*
 * The works whose tasks are scheduled one by one, or in batches: by threads outside, by workers, by
 * themselves.
 */
#include "work/common.h"

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
	uint64_t from = sim_run.tasks * number / sim_run.workers;
	uint64_t to = sim_run.tasks * (number + 1) / sim_run.workers;

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
	struct nap_batch batch;

	make_tasks(2 * sim_run.workers);
	runs_wanted = (uint32_t)(sim_run.tasks / nr_tasks ? sim_run.tasks / nr_tasks : 1);
	for (uint64_t i = 0; i < nr_tasks; i++)
		tasks[i].task.run = run_chain;
	batch = all_tasks();
	begin();
	schedule_all(&batch);
	end();
}

SIM_WORK(chains, .name = "chains", .run = chains, .each = 1000, .grain_ns = 1000,
	 .about = "two tasks for each worker, which schedule themselves again");

/* ---- a burst into a pool that sleeps */

static void burst(void)
{
	struct nap_batch batch;
	uint64_t now;

	make_tasks(sim_run.tasks);
	batch = all_tasks();
	begin();
	now = sim_now();
	for (uint64_t i = 0; i < sim_run.tasks; i++)
		tasks[i].scheduled = now;
	schedule_all(&batch);
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
