/* SPDX-License-Identifier: MIT */
/*
 * The first spawn fails, and the pool hangs in silence (Zap's src/thread_pool.zig, notifySlow()
 * and unregister(); the blog text, "Thread Counters and Races": "if spawning a thread fails, we
 * just decrement this count"). The notify has set the word to signaled and notified for the
 * worker that was to be spawned, and the word stays so: every later schedule finds a worker
 * notified, and returns.
 *
 * nap takes the state back, and lets a waiting thread run the tasks: published_nap_end.c.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <nap/check.h>

#define USER		0u
#define WORKER		1u
#define TASKS		2u

#define SIGNALED	1u
#define NOTIFIED	2u
#define IDLE_ONE	4u
#define SPAWNED_ONE	8u

struct task {
	struct task *next;
	int payload;
};

static struct task tasks[TASKS];
static _Atomic(struct task *) stack;
static _Atomic uint32_t sync_word, done;

static bool sync_exchange(uint32_t *word, uint32_t next, memory_order order)
{
	return atomic_compare_exchange_strong_explicit(&sync_word, word, next, order,
						       memory_order_relaxed);
}

static void run_all(void)
{
	struct task *task = atomic_exchange_explicit(&stack, NULL, memory_order_acquire);
	uint32_t n = 0;

	for (; task; task = task->next, n++)
		CHECK(task->payload == 42);
	if (!n)
		return;
	atomic_fetch_add_explicit(&done, n, memory_order_release);
	check_futex_wake((uint32_t *)&done, 1);
}

/* Runs tasks until all have been run. A worker that sleeps after that is no fault. */
static void worker(void *arg)
{
	bool idle = false;
	uint32_t word = atomic_load_explicit(&sync_word, memory_order_relaxed);

	(void)arg;
	for (;;) {
		if (word & NOTIFIED) {
			uint32_t next = (word & ~(NOTIFIED | SIGNALED)) - (idle ? IDLE_ONE : 0);

			if (!sync_exchange(&word, next, memory_order_acquire))
				continue;
			idle = false;
			atomic_thread_fence(memory_order_seq_cst);
			run_all();
			if (atomic_load_explicit(&done, memory_order_relaxed) == TASKS)
				return;
			word = atomic_load_explicit(&sync_word, memory_order_relaxed);
		} else if (!idle) {
			idle = sync_exchange(&word, word + IDLE_ONE, memory_order_relaxed);
			if (idle)
				word += IDLE_ONE;
		} else {
			check_futex_wait((uint32_t *)&sync_word, word, false);
			word = atomic_load_explicit(&sync_word, memory_order_relaxed);
		}
	}
}

static void notify(void)
{
	uint32_t word, next;

	atomic_thread_fence(memory_order_seq_cst);
	word = atomic_load_explicit(&sync_word, memory_order_relaxed);
	do {
		if (word & NOTIFIED)
			return;
		next = word | NOTIFIED | SIGNALED;
		if (word < SPAWNED_ONE)
			next += SPAWNED_ONE;
	} while (!sync_exchange(&word, next, memory_order_release));
	if (word & IDLE_ONE)
		check_futex_wake((uint32_t *)&sync_word, 1);
	else if (word < SPAWNED_ONE && check_spawn(WORKER, worker, NULL, "worker"))
		/* The published form does only this. */
		atomic_fetch_sub_explicit(&sync_word, SPAWNED_ONE, memory_order_release);
}

static void schedule(struct task *task)
{
	struct task *top = atomic_load_explicit(&stack, memory_order_relaxed);

	task->payload = 42;
	do {
		task->next = top;
	} while (!atomic_compare_exchange_strong_explicit(&stack, &top, task, memory_order_release,
							  memory_order_relaxed));
	notify();
}

static void user(void *arg)
{
	uint32_t n;

	(void)arg;
	for (uint32_t i = 0; i < TASKS; i++)
		schedule(&tasks[i]);
	while ((n = atomic_load_explicit(&done, memory_order_acquire)) < TASKS)
		check_futex_wait((uint32_t *)&done, n, false);
}

static void begin(void)
{
	check_name(&sync_word, sizeof(sync_word), "sync");
	check_name(&stack, sizeof(stack), "stack");
	check_name(&done, sizeof(done), "done");
}

CHECK_SCENARIO(published_first_spawn_fails,
	.about = "published form: after a failed first spawn nobody is ever started again",
	.setup = begin, .threads = { { user, NULL, "user" } }, .spawn_failures = 1,
	.models = CHECK_ALL, .finds = "dead-lock: user waits");

CHECK_SCENARIO(published_first_spawn_succeeds,
	.about = "the same pool, when the spawn does not fail: everything is run",
	.setup = begin, .threads = { { user, NULL, "user" } }, .models = CHECK_ALL);
