/* SPDX-License-Identifier: MIT */
/*
 * Looks in nap's sources for the fault that lost_wakeup.c finds in the published form
 * (src/idle/sync.c, src/idle/set.h, src/sync/event.h and the queues). The three producers are
 * threads from outside, or workers inside a task that push into their own rings. One worker takes
 * the notification that is there from the beginning (from a schedule whose task another worker
 * has taken since), searches once, and sleeps if it found nothing. The worker ends when it has a
 * task or was notified again. So a worker that waits for ever has missed three tasks.
 *
 * The worker searches only the queue that the producers use: the other queues of nap__dequeue()
 * are empty, and searching them would make the exploration longer. sync.c and sync_own.c have
 * more than one search, and run every task.
 */
#include "pool_setup.h"

#include "sync/event.h"

#define TASKS	3u
#define SLEEPER	TASKS	/* worker 0's thread, after the producers' threads */

static struct job jobs[TASKS] = { JOB_INIT(job_run), JOB_INIT(job_run), JOB_INIT(job_run) };

static void begin(uint32_t nr_workers)
{
	pool_new(nr_workers, SLEEPER);
	for (uint32_t i = 0; i < nr_workers; i++)
		pool_add_worker(SLEEPER);
	pool_leave_word();
}

static void judge(void)
{
	if (check_waits(SLEEPER))
		check_fail("lost wake-up: a worker is parked beside a task");
}

/* ---- from outside */

/* Injects as nap_schedule() does, but without the gate, which would order the producers. */
static void inject(void *number)
{
	job_inject(&jobs[(uintptr_t)number]);
}

/*
 * Does what nap__park() does, step by step, so that the thread can end when the worker was
 * notified.
 */
static void search_injected(void *unused)
{
	struct nap_worker *worker = registry_at(pool, 0);
	struct nap_task *task;
	bool more = false;

	(void)unused;
	CHECK(nap__idle_prepare(worker) == NAP_SEARCH);
	task = inject_take(&pool->inject, &more);
	if (task)
		task->run(task);
	else if (nap__idle_prepare(worker) == NAP_PARK)
		event_wait(&worker->event, EVENT_WORK, UINT64_MAX);
}

static void begin_foreign(void)
{
	begin(1);
}

CHECK_SCENARIO(lost_wakeup_nap_foreign,
	.about = "nap: three producers from outside, one worker that parks: no wake-up is lost",
	.setup = begin_foreign, .finally = judge, .may_block = true,
	.threads = { { inject, (void *)0, "P0" }, { inject, (void *)1, "P1" },
		     { inject, (void *)2, "P2" }, { search_injected, NULL, "worker" } },
	.models = CHECK_ALL);

/* ---- from other workers, into their own rings */

/* Schedules as worker @number + 1, inside a task that never ends. */
static void push_own(void *number)
{
	self_is(nap__self(), registry_at(pool, 1 + (uint32_t)(uintptr_t)number));
	CHECK(job_schedule(&jobs[(uintptr_t)number]) == 0);
}

static struct nap_task *steal(struct nap_worker *worker)
{
	struct nap_task *task = NULL;

	for (struct nap_worker *w = registry_first(pool); w && !task; w = w->next)
		if (w != worker)
			task = ring_steal_one(&w->ring);
	return task;
}

static void search_rings(void *unused)
{
	struct nap_worker *worker = registry_at(pool, 0);
	struct nap_task *task;
	uint32_t reasons = 0;

	(void)unused;
	CHECK(nap__park(worker, UINT64_MAX, &reasons) == NAP_SEARCH);
	task = steal(worker);
	if (task)
		task->run(task);
	else
		CHECK(nap__park(worker, UINT64_MAX, &reasons) == NAP_SEARCH);
}

static void begin_own_ring(void)
{
	begin(1 + TASKS);
}

CHECK_SCENARIO(lost_wakeup_nap_own_ring,
	.about = "nap: three workers push into their rings, another one parks: no wake-up is lost",
	.setup = begin_own_ring, .finally = judge, .may_block = true,
	.threads = { { push_own, (void *)0, "P0" }, { push_own, (void *)1, "P1" },
		     { push_own, (void *)2, "P2" }, { search_rings, NULL, "worker" } },
	.models = CHECK_ALL);
