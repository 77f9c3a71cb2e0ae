/* SPDX-License-Identifier: MIT */
/*
 * The alternative that needs no paper: one queue for all, behind a mutex, and workers that sleep on a
 * condition. A fork is a task in the queue, and a join runs queued tasks until its own is done.
 */
#include <stddef.h>

#include "program/work.h"
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

static void push(struct nap_task *head, struct nap_task *tail, uint64_t n)
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
	push(task, task, 1);
}

static void schedule_batch(struct nap_batch *batch)
{
	push(batch->head, batch->tail, batch->count);
}

static void wait(void)
{
	for (;;) {
		__atomic_store_n(&queue.quiet, 1, __ATOMIC_SEQ_CST);
		if (!__atomic_load_n(&queue.left, __ATOMIC_SEQ_CST))
			return;
		sim_futex_wait(&queue.quiet, 1, UINT64_MAX);
	}
}

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

/* Runs a queued task, whatever it is. */
static void help(void)
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

static uint64_t fib_of(unsigned n)
{
	struct fork fork = { .task.run = run_fork, .n = n - 1 };
	uint64_t right;

	if (n < 2) {
		work_leaf();
		return n;
	}
	push(&fork.task, &fork.task, 1);
	right = fib_of(n - 2);
	while (!__atomic_load_n(&fork.done, __ATOMIC_ACQUIRE))
		help();
	return right + fork.result;
}

static uint64_t fib(unsigned n)
{
	struct fork first = { .task.run = run_fork, .n = n };

	push(&first.task, &first.task, 1);
	wait();
	return first.result;
}

/* A chunk of a loop: 4 for each worker, which a loop without knowledge of its body would choose. */
struct chunk {
	struct nap_task task;
	uint64_t begin, end;
};

static void run_chunk(struct nap_task *task)
{
	struct chunk *chunk = (struct chunk *)(void *)task;

	for (uint64_t i = chunk->begin; i < chunk->end; i++)
		loop_body(i);
}

static void loop(uint64_t n)
{
	static struct chunk *chunks;
	uint64_t nr = 4 * (uint64_t)sim_run.workers;

	if (!chunks)
		chunks = sim_alloc(nr * sizeof(*chunks), "chunks of a loop");
	for (uint64_t i = 0; i < nr; i++) {
		chunks[i] = (struct chunk){ { NULL, run_chunk }, n * i / nr, n * (i + 1) / nr };
		if (i)
			chunks[i - 1].task.next = &chunks[i].task;
	}
	push(&chunks[0].task, &chunks[nr - 1].task, nr);
	wait();
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

SIM_POOL(locked, .name = "locked", .about = "one queue with a mutex and a condition", .start = start,
	 .schedule = schedule, .schedule_batch = schedule_batch, .wait = wait, .fib = fib, .loop = loop,
	 .stop = stop, .steals = steals);
