/* SPDX-License-Identifier: MIT */
/*
 * A step of another thread at any access (race.h), in calls on a pool; src/ is compiled into the
 * test. The pool can start no workers, so the test's own thread is the only one. If this thread is
 * about to sleep, the step comes then at the latest.
 */
#ifndef NAP_TESTS_RACE_POOL_H
#define NAP_TESTS_RACE_POOL_H

#include <errno.h>

#include "idle_words.h"
#include "pool_fixture.h"
#include "race.h"
#include "wrap.h"

#include "../src/fork/ask.c"
#include "../src/sched/fair.c"
#include "../src/fork/jobs.c"
#include "../src/fork/jobs_join.c"
#include "../src/wait/group.c"
#include "../src/wait/group_wait.c"
#define RACE_NAP_IDLE_SYNC	"../src/idle/sync.c"
#define RACE_NAP_IDLE_GO	"../src/idle/go.c"
#define RACE_NAP_IDLE_JEC	"../src/idle/jec.c"
#define RACE_IDLE_(protocol)	RACE_##protocol
#define RACE_IDLE(protocol)	RACE_IDLE_(protocol)
#include RACE_IDLE(NAP_IDLE_FIRST)
#include "../src/idle/at_rest.c"
#include "../src/wait/quiesce.c"
#include "../src/sched/schedule.c"
#include "../src/sched/schedule_as.c"
#include "../src/sched/search.c"
#include "../src/sched/steal.c"
#include "../src/thread/spawn.c"
#include "../src/sched/run.c"
#include "../src/sched/loop.c"

static struct nap_pool pool;

WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	(void)worker;
	(void)stack_size;
	return -EAGAIN;
}

static void (*last_step)(void);		/* wakes a thread that sleeps after the race */

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	void (*step)(void) = race_at ? race_step : last_step;

	/* In the last round the function has no further access before which the step could come. */
	if (race_at) {
		race_at = 0;
		race_slept = true;
	} else {
		last_step = NULL;
	}
	if (step)
		step();
	return __real_nap__futex_wait(word, expected, deadline);
}

/*
 * Begins a pool with a given spinning time. If none is given, the pool measures this time by a
 * sleep, and the function above would take the sleep for the moment of the step.
 */
static inline void new_pool(void)
{
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1, .spin_us = 1 }))
		abort();
	nr_run = 0;
}

static inline void stop_pool(void)
{
	nap_pool_shutdown(&pool, NAP_STOP);
}

/* Sends waiters from outside away from the pool, as the joiner does when all workers have left. */
static inline void send_visitors_away(void)
{
	gate_close(&pool.visits);
	nap_fence_seq_cst();
	waitlist_wake(&pool.waiters, EVENT_POOL);
}

static struct nap_worker worker;

/* Begins a pool with one worker, which sleeps and has no task on its stack. */
static inline void new_pool_at_rest(void)
{
	new_pool();
	memset(&worker, 0, sizeof(worker));
	worker.pool = &pool;
	worker.record = RECORD_STARTED;
	worker.rest = 1;
	ring_init(&worker.ring);
	pool.limit = pool.most = 1;
	pool.records = pool.registry = &worker;
	idle_words(&pool)->set(&pool, 1, 1);
}

static struct nap_worker crew[3];

/* Begins a pool with @n workers, which count as busy. */
static inline void new_crew(uint32_t n)
{
	new_pool();
	memset(crew, 0, sizeof(crew));
	for (uint32_t i = 0; i < n; i++) {
		crew[i].pool = &pool;
		crew[i].index = i;
		crew[i].next = i ? &crew[i - 1] : NULL;
		crew[i].record = RECORD_STARTED;
		ring_init(&crew[i].ring);
	}
	pool.limit = pool.most = n;
	pool.records = crew;
	pool.registry = &crew[n - 1];
	idle_words(&pool)->set(&pool, n, 0);
}

#endif /* NAP_TESTS_RACE_POOL_H */
