/* SPDX-License-Identifier: MIT */
/*
 * The Sync protocol with workers that are already there: they go to sleep, sleep, are woken, and
 * hand over. Invariants: work conservation (no worker is parked beside a task that it could take),
 * as in sync.c; at most one worker at a time is the waking worker, and then the word says WAKING,
 * which no other worker can have set.
 */
#include "pool_setup.h"

#define JOBS 3

static struct job jobs[JOBS] = { JOB_INIT(job_run), JOB_INIT(job_run), JOB_INIT(job_run) };

/* Runs a worker's main loop as in src/sched/loop.c, with a check between waking and searching. */
static void worker(void *index)
{
	struct nap_worker *w = registry_at(pool, (uint32_t)(uintptr_t)index);
	uint32_t reasons = 0;
	struct nap_task *task;

	self_is(nap__self(), w);
	while (nap__park(w, UINT64_MAX, &reasons) == NAP_SEARCH) {
		if (pool_is_waking(w))
			CHECK(sync_state(nap_load_relaxed(&pool->sync)) == SYNC_WAKING);
		while ((task = nap__dequeue(w)))
			nap__run(w, task);
	}
}

/* Workers are threads 0 and 1. */
static void one_busy(void)
{
	pool_new(1, 0);
	pool_add_worker(0);
}

static void one_notified(void)
{
	one_busy();
	pool_leave_word();
}

static void one_parked(void)
{
	one_busy();
	pool_set_idle(registry_at(pool, 0));
}

static void two_parked(void)
{
	pool_new(2, 0);
	pool_set_idle(pool_add_worker(0));
	pool_set_idle(pool_add_worker(0));
}

/* Setup: one worker sleeps, and one is about to search. */
static void one_each(void)
{
	pool_new(2, 0);
	pool_set_idle(pool_add_worker(0));
	pool_add_worker(0);
}

static void all_ran(void)
{
	for (unsigned i = 0; i < JOBS; i++)
		CHECK(jobs[i].runs == (jobs[i].in == JOB_IN));
	CHECK(nap__idle_quiet(pool));
	for (struct nap_worker *w = registry_first(pool); w; w = w->next) {
		CHECK(check_waits(w->index));
		CHECK(pool_sleeps(w));
	}
}

/* The producer signals and pops the set; the worker enters the set and checks again [S3]. */
CHECK_SCENARIO(sync_falling_asleep, .about = "a notification against a worker that goes to sleep",
	.setup = one_busy, .finally = all_ran, .may_block = true,
	.threads = { { worker, (void *)0, "W0" }, { pool_inject, &jobs[0], "producer" } });

/* The task is published while the worker takes an older notification: both threads check [S1]. */
CHECK_SCENARIO(sync_notified, .about = "a task against a worker that takes an older notification",
	.setup = one_notified, .finally = all_ran, .may_block = true,
	.threads = { { worker, (void *)0, "W0" }, { pool_inject, &jobs[0], "producer" } });

CHECK_SCENARIO(sync_falling_asleep_2, .about = "two producers against a worker that goes to sleep",
	.setup = one_busy, .finally = all_ran, .may_block = true, .random = 10000,
	.threads = { { worker, (void *)0, "W0" }, { pool_inject, &jobs[0], "producer1" },
		     { pool_inject, &jobs[1], "producer2" } });

CHECK_SCENARIO(sync_parked_1, .about = "a producer and a parked worker",
	.setup = one_parked, .finally = all_ran, .may_block = true,
	.threads = { { worker, (void *)0, "W0" }, { pool_inject, &jobs[0], "producer" } });

CHECK_SCENARIO(sync_parked_2, .about = "two producers and a parked worker",
	.setup = one_parked, .finally = all_ran, .may_block = true, .random = 10000,
	.threads = { { worker, (void *)0, "W0" }, { pool_inject, &jobs[0], "producer1" },
		     { pool_inject, &jobs[1], "producer2" } });

CHECK_SCENARIO(sync_parked_3, .about = "three producers and a parked worker",
	.setup = one_parked, .finally = all_ran, .may_block = true, .random = 10000,
	.threads = { { worker, (void *)0, "W0" }, { pool_inject, &jobs[0], "producer1" },
		     { pool_inject, &jobs[1], "producer2" },
		     { pool_inject, &jobs[2], "producer3" } });

/* The worker that is woken wakes the next one. */
CHECK_SCENARIO(sync_hand_over, .about = "two parked workers, one task: at most one is waking",
	.setup = two_parked, .finally = all_ran, .may_block = true, .random = 10000,
	.threads = { { worker, (void *)0, "W0" }, { worker, (void *)1, "W1" },
		     { pool_inject, &jobs[0], "producer" } });

CHECK_SCENARIO(sync_hand_over_busy, .about = "one worker sleeps, one goes to sleep, one task",
	.setup = one_each, .finally = all_ran, .may_block = true, .random = 10000,
	.threads = { { worker, (void *)0, "W0" }, { worker, (void *)1, "W1" },
		     { pool_inject, &jobs[0], "producer" } });

CHECK_SCENARIO(sync_hand_over_2, .about = "two parked workers, two tasks: at most one is waking",
	.setup = two_parked, .finally = all_ran, .may_block = true, .random = 10000,
	.threads = { { worker, (void *)0, "W0" }, { worker, (void *)1, "W1" },
		     { pool_inject, &jobs[0], "producer1" },
		     { pool_inject, &jobs[1], "producer2" } });
