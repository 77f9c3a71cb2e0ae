/* SPDX-License-Identifier: MIT */
/*
 * Drives an idle protocol step by step. One thread plays all the workers of a pool, so the start of
 * a worker is only noted, or fails.
 */
#ifndef NAP_TESTS_IDLE_STEPS_H
#define NAP_TESTS_IDLE_STEPS_H

#include <errno.h>

#include "idle/protocols.h"
#include "idle/set.h"
#include "os/os.h"
#include "queue/kind.h"
#include "sched/schedule.h"
#include "sync/debug.h"
#include "sync/event.h"
#include "worker/self.h"
#include "worker/worker.h"
#include "harness.h"
#include "wrap.h"

enum { WORKERS = 4 };
static struct nap_pool pool;
static bool starts_fail;

WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	(void)worker;
	(void)stack_size;
	return starts_fail ? -EAGAIN : 0;
}

static inline struct nap_worker *worker_at(uint32_t i)
{
	return registry_at(&pool, i);
}

static struct nap_task tasks[64];

static inline void run_nothing(struct nap_task *task)
{
	(void)task;
}

/* Schedules tasks[from .. from + n) one by one: into the ring of worker @i, or from OUTSIDE. */
#define OUTSIDE UINT32_MAX

static inline void schedule_as(uint32_t i, int from, int n)
{
	self_is(nap__self(), i == OUTSIDE ? NULL : worker_at(i));
	for (int t = from; t < from + n; t++) {
		nap_task_init(&tasks[t], run_nothing);
		if (nap_schedule(&pool, &tasks[t]))
			abort();
	}
	self_is(nap__self(), NULL);
}

/* Publishes a task without notifying a worker. */
static inline void inject_silently(int t)
{
	nap_task_init(&tasks[t], run_nothing);
	inject_push(&pool.inject, &tasks[t], &tasks[t]);
}

static inline bool was_woken(uint32_t i)
{
	return worker_at(i)->event & EVENT_WORK;
}

static inline uint32_t how_many_woken(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nap_load_relaxed(&pool.nr_records); i++)
		n += was_woken(i);
	return n;
}

/* Does what nap__park() does when it returns from its futex. */
static inline enum nap__verdict wake_up(uint32_t i)
{
	if (event_wait(&worker_at(i)->event, EVENT_WORK, 1))
		nap__idle_woken(worker_at(i));
	return nap__idle_prepare(worker_at(i));
}

/*
 * Searches until the worker parks. Returns how many searches it took, or -1 if one has found a
 * task.
 */
static inline int settle(uint32_t i)
{
	int n = 0;

	for (; nap__idle_prepare(worker_at(i)) != NAP_PARK; n++)
		if (nap__dequeue(worker_at(i)))
			return -1;
	return n;
}

static inline void begin(struct __test_metadata *_metadata, enum nap_idle idle, uint32_t workers)
{
	struct nap_config config = { .max_workers = WORKERS, .idle = idle,
				     .yields = NAP_NO_YIELDS };

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, workers), 0);
}

/* Begins a pool with classes, of equal weights and without limits. */
static inline void begin_with_classes(struct __test_metadata *_metadata, enum nap_idle idle)
{
	static struct nap_classes classes;
	struct nap_config config = { .max_workers = WORKERS, .idle = idle, .yields = NAP_NO_YIELDS,
				     .classes = &classes };

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, WORKERS), 0);
}

/* Skips the test where no fork stays private. */
#define SKIP_WITHOUT_PRIVATE_FORKS()							\
	if (DEBUG_BUILD || !nap__os_membarrier_works())					\
		SKIP(return, "every fork is published: debug build, or no membarrier")

static inline void begin_parked(struct __test_metadata *_metadata, enum nap_idle idle)
{
	begin(_metadata, idle, WORKERS);
	for (uint32_t i = 0; i < WORKERS; i++)
		ASSERT_GT(settle(i), 0);
	ASSERT_EQ(nap__idle_count(&pool), WORKERS);
	ASSERT_TRUE(nap__idle_quiet(&pool));
}

#endif /* NAP_TESTS_IDLE_STEPS_H */
