/* SPDX-License-Identifier: MIT */
/*
 * A notification stands for several tasks. Three workers are busy, and NOTIFIED is set for a
 * first task, from outside. Worker 2 is inside a task that does not end, and pushes a second task
 * into its own ring: it finds NOTIFIED set, and notifies no worker. Of workers 0 and 1 one takes
 * the notification and the first task, which does not end; the other is about to sleep. The
 * worker that took the notification has to notify the other of the second task, because no other
 * thread is left.
 *
 * Invariant (work conservation): at the end no worker is parked beside a task.
 */
#include "pool_setup.h"

#define PUSHER 2u

static struct job first = JOB_INIT(job_block), second = JOB_INIT(job_run);

static void three_busy(void)
{
	pool_new(3, 0);
	for (unsigned i = 0; i < 3; i++)
		pool_add_worker(0);
	job_queue(&first);
	pool_leave_word();
}

/* Runs the main loop of src/sched/loop.c from where a worker has found nothing. */
static void worker(void *index)
{
	struct nap_worker *w = registry_at(pool, (uint32_t)(uintptr_t)index);
	uint32_t reasons = 0;
	struct nap_task *task;

	self_is(nap__self(), w);
	while (nap__park(w, UINT64_MAX, &reasons) == NAP_SEARCH)
		while ((task = nap__dequeue(w)))
			nap__run(w, task);
}

/* Pushes as worker 2, inside a task that runs on for ever. */
static void push_own(void *job)
{
	self_is(nap__self(), registry_at(pool, PUSHER));
	CHECK(job_schedule(job) == 0);
}

static void both_ran(void)
{
	CHECK(first.runs == 1);
	if (second.runs == 0)
		check_fail("a worker is parked beside a task in a ring");
	CHECK(second.runs == 1);
}

CHECK_SCENARIO(sync_owes, .about = "who takes a notification and a task tells others of the rest",
	.setup = three_busy, .finally = both_ran, .may_block = true, .random = 10000,
	.threads = { { worker, (void *)0, "W0" }, { worker, (void *)1, "W1" },
		     { push_own, &second, "W2" } });
