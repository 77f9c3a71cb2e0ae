/* SPDX-License-Identifier: MIT */
/*
 * A scenario with a queue whose consumers take a try-lock. TRYLOCK_CHECK_SCENARIO() makes it for
 * one kind of queue. Its three threads:
 *
 *	holder	 a worker that refills its ring: checks for one more task, unlocks, and notifies
 *		 others if there is reason to. Then the holder runs the task that it has, which
 *		 does not end.
 *	woken	 a worker that parks when it finds nothing, or when the lock is taken
 *	producer pushes a second task from outside, and notifies
 *
 * From the beginning the holder has the lock and the first task. Invariant: the woken worker does
 * not park beside the second task. The idle protocol is that of lost_wakeup.h with both fences, so
 * that only the lock can be at fault.
 *
 * A queue, KIND, has a struct KIND_consumer for the holder of the lock, KIND_push(i), KIND_lock(c),
 * KIND_pop(c), which returns a task's number + 1, or 0 if there is none, and KIND_unlock(c), which
 * says whether others are to be notified. Zap notifies others only of what was moved into the ring.
 */
#ifndef MODEL_PUBLISHED_TRYLOCK_H
#define MODEL_PUBLISHED_TRYLOCK_H

#include "lost_wakeup.h"

#define WOKEN	1u
#define TASKS	2u

/* Written by the task's producer, read by the thread that runs the task. */
static int payload[TASKS];
static unsigned int nr_runs[TASKS];

/* The holder's ring: one slot, a task's number + 1. */
static _Atomic uint32_t ring;

static inline void run_task(uint32_t task)
{
	CHECK(payload[task - 1] == 42);
	nr_runs[task - 1]++;
}

static inline void judge(void)
{
	if (check_waits(WOKEN))
		check_fail("lost wake-up: a worker is parked beside a task");
	for (uint32_t i = 0; i < TASKS; i++)
		CHECK(nr_runs[i] == 1);
}

#define TRYLOCK_THREADS(kind)								\
static struct kind##_consumer kind##_held;						\
static uint32_t kind##_first;								\
											\
static void kind##_holder(void *arg)							\
{											\
	uint32_t moved = kind##_pop(&kind##_held);					\
	bool more;									\
											\
	(void)arg;									\
	if (moved)									\
		atomic_store_explicit(&ring, moved, memory_order_release);		\
	more = kind##_unlock(&kind##_held);						\
	if (moved || more)								\
		idle_notify(BOTH_FENCES);						\
	run_task(kind##_first);								\
}											\
											\
static uint32_t kind##_take(void)							\
{											\
	struct kind##_consumer c;							\
	uint32_t task;									\
											\
	if (!kind##_lock(&c))								\
		return 0;								\
	task = kind##_pop(&c);								\
	if (kind##_unlock(&c))								\
		idle_notify(BOTH_FENCES);						\
	return task;									\
}											\
											\
static void kind##_woken(void *arg)							\
{											\
	uint32_t task;									\
											\
	(void)arg;									\
	do {										\
		idle_wait(BOTH_FENCES);							\
		task = kind##_take();							\
		if (!task && atomic_load_explicit(&ring, memory_order_relaxed))		\
			task = atomic_exchange_explicit(&ring, 0, memory_order_acquire); \
	} while (!task);								\
	run_task(task);								\
}											\
											\
static void kind##_producer(void *arg)							\
{											\
	(void)arg;									\
	payload[1] = 42;								\
	kind##_push(1);									\
	idle_notify(BOTH_FENCES);							\
}											\
											\
static void kind##_begin(void)								\
{											\
	check_name(&idle_word, sizeof(idle_word), "sync");				\
	check_name(&ring, sizeof(ring), "ring");					\
	payload[0] = 42;								\
	kind##_push(0);									\
	CHECK(kind##_lock(&kind##_held));						\
	kind##_first = kind##_pop(&kind##_held);					\
}

#define TRYLOCK_CHECK_SCENARIO(kind, what, ...)						\
	TRYLOCK_THREADS(kind)								\
	CHECK_SCENARIO(trylock_##kind, .about = what, .setup = kind##_begin,		\
		.finally = judge, .may_block = true,					\
		.threads = { { kind##_holder, NULL, "holder" },				\
			     { kind##_woken, NULL, "woken" },				\
			     { kind##_producer, NULL, "producer" } },			\
		.models = CHECK_ALL, __VA_ARGS__)

#endif /* MODEL_PUBLISHED_TRYLOCK_H */
