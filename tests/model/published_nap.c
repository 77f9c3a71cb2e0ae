/* SPDX-License-Identifier: MIT */
/*
 * The other published_*.c find faults in protocols as their authors have published them. This file
 * looks for the same faults in nap's sources, and must not find them: a push that wakes no worker,
 * a contended try-lock that swallows a wake-up, a shutdown that strands a sleeper. (The lost
 * wake-up: lost_wakeup_nap.c; join and failed spawns: published_nap_end.c.)
 *
 * Worker 0 is thread 0, and sleeps in the beginning. Each other worker runs at most one more
 * task, which never ends: the worker's thread ends in that task. A search looks at the one queue
 * that has tasks, and goes on as nap__dequeue() does.
 */
#include "pool_setup.h"

#define SLEEPER	0u
#define TASKS	2u

typedef struct nap_task *take_fn(bool *more);

static struct job jobs[TASKS] = { JOB_INIT(job_run), JOB_INIT(job_run) };

static void begin(uint32_t nr_workers)
{
	pool_new(nr_workers, 0);
	for (uint32_t i = 0; i < nr_workers; i++)
		pool_add_worker(0);
	pool_set_idle(registry_at(pool, SLEEPER));
}

/* Worker 0 must not sleep: there is always one task more than the other workers have taken. */
static void judge(void)
{
	if (check_waits(SLEEPER))
		check_fail("lost wake-up: a worker is parked beside a task");
}

static struct nap_task *dequeue(struct nap_worker *worker, take_fn *take)
{
	bool more = false;
	struct nap_task *task = take(&more);

	if (task)
		nap__idle_stop_search(worker, more);
	else if (more)
		nap__idle_notify(pool);
	return task;
}

/* Runs the main loop of worker 0, until the worker has a task. */
static void sleep_and_search(take_fn *take)
{
	struct nap_worker *worker = registry_at(pool, SLEEPER);
	struct nap_task *task = NULL;
	uint32_t reasons = 0;

	while (!task) {
		CHECK(nap__park(worker, UINT64_MAX, &reasons) == NAP_SEARCH);
		task = dequeue(worker, take);
	}
	task->run(task);
}

/*
 * Takes the next task as worker 1, between two tasks. Worker 1 owes no notification by itself, so
 * only the queue can say that a notification is needed.
 */
static void take_one(take_fn *take)
{
	struct nap_task *task = dequeue(registry_at(pool, 1), take);

	if (task)
		task->run(task);
}

/* ---- a push from inside a task */

static void begin_push(void)
{
	begin(2);
}

static struct nap_task *steal(bool *more)
{
	(void)more;
	return ring_steal_one(&registry_at(pool, 1)->ring);
}

static void thief(void *unused)
{
	(void)unused;
	sleep_and_search(steal);
}

static void pusher(void *job)
{
	self_is(nap__self(), registry_at(pool, 1));
	CHECK(job_schedule(job) == 0);
}

CHECK_SCENARIO(nap_push_wakes,
	.about = "nap: a push from inside a task wakes a worker, which steals it",
	.setup = begin_push, .finally = judge, .may_block = true,
	.threads = { { thief, NULL, "thief" }, { pusher, &jobs[0], "pusher" } },
	.models = CHECK_ALL);

/* ---- a contended try-lock */

static struct nap_task *take_injected(bool *more)
{
	return inject_take(&pool->inject, more);
}

static void inject_sleeper(void *unused)
{
	(void)unused;
	sleep_and_search(take_injected);
}

static void inject_holder(void *unused)
{
	(void)unused;
	take_one(take_injected);
}

static void begin_inject(void)
{
	begin(2);
	job_queue(&jobs[0]);
}

CHECK_SCENARIO(nap_contended_injection,
	.about = "nap: who holds the injected tasks (Vyukov) tells of what it leaves",
	.setup = begin_inject, .finally = judge, .may_block = true,
	.threads = { { inject_sleeper, NULL, "sleeper" }, { inject_holder, NULL, "holder" },
		     { pool_inject, &jobs[1], "producer" } },
	.models = CHECK_ALL);

/* The overflow belongs to worker 2, which pushes more than fits into its ring. */
static struct nap_task *take_overflow(bool *more)
{
	return overflow_take(&registry_at(pool, 2)->overflow, more);
}

static void overflow_sleeper(void *unused)
{
	(void)unused;
	sleep_and_search(take_overflow);
}

static void overflow_holder(void *unused)
{
	(void)unused;
	take_one(take_overflow);
}

static void overflow(struct job *job)
{
	job->in = JOB_IN;
	overflow_push(&registry_at(pool, 2)->overflow, &job->task, &job->task);
}

static void overflow_and_notify(void *job)
{
	overflow(job);
	nap__idle_notify(pool);
}

static void begin_overflow(void)
{
	begin(3);
	overflow(&jobs[0]);
}

CHECK_SCENARIO(nap_contended_overflow,
	.about = "nap: who holds a worker's overflow (Treiber) tells of what it leaves",
	.setup = begin_overflow, .finally = judge, .may_block = true,
	.threads = { { overflow_sleeper, NULL, "sleeper" }, { overflow_holder, NULL, "holder" },
		     { overflow_and_notify, &jobs[1], "producer" } },
	.models = CHECK_ALL);

/* ---- a shutdown right after a wake */

static void begin_shutdown(void)
{
	begin(2);
	pool_set_idle(registry_at(pool, 1));
}

/* Parks until the pool ends, or until the worker gets the one notification. */
static void parked(void *number)
{
	uint32_t reasons = 0;

	nap__park(registry_at(pool, (uint32_t)(uintptr_t)number), UINT64_MAX, &reasons);
}

static void notify_and_shut_down(void *unused)
{
	(void)unused;
	nap__idle_notify(pool);
	nap__idle_shutdown(pool);
}

CHECK_SCENARIO(nap_shutdown_strands_nobody,
	.about = "nap: a shutdown behind a wake ends every parked worker",
	.setup = begin_shutdown,
	.threads = { { parked, (void *)0, "A" }, { parked, (void *)1, "B" },
		     { notify_and_shut_down, NULL, "main" } },
	.models = CHECK_ALL);
