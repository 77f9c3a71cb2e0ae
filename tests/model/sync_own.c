/* SPDX-License-Identifier: MIT */
/*
 * Tasks that a worker pushes, or moves into its ring, and does not reach, because the task that
 * it runs never ends. Invariant (work conservation): another worker runs every one of these
 * tasks. The ring has two slots, and its indices wrap on the way.
 */
#include "pool_setup.h"

#define CHILDREN 3

static struct job children[CHILDREN] = {
	JOB_INIT(job_run), JOB_INIT(job_run), JOB_INIT(job_run),
};
static unsigned nr_children;

static void schedule_children(void)
{
	for (unsigned i = 0; i < nr_children; i++)
		CHECK(job_schedule(&children[i]) == 0);
}

static void schedule_batch(void)
{
	struct nap_batch all = NAP_BATCH_INIT;

	for (unsigned i = 0; i < nr_children; i++) {
		children[i].in = JOB_IN;
		nap_batch_push(&all, &children[i].task);
	}
	CHECK(nap_schedule_batch(pool, &all) == 0);
}

/* Schedules as worker 0, in the middle of a task that then never ends. */
static void in_task(void *batch)
{
	self_is(nap__self(), registry_at(pool, 0));
	if (batch)
		schedule_batch();
	else
		schedule_children();
	block_for_ever();
}

static char batch;

#define IN_TASK(kind) { in_task, kind, "W0" }

/* Setup: worker 0, thread 0, is in a task; worker 1, thread 1, starts or sleeps. */
static void setup(unsigned n, bool sleeps)
{
	struct nap_worker *w;

	nr_children = n;
	pool_new(2, 0);
	pool_add_worker(0)->rest = 2;
	w = pool_add_worker(0);
	if (sleeps)
		pool_set_idle(w);
}

/* Setup: a notification is out, which the other worker is about to take. */
static void one_notified(void)
{
	setup(1, false);
	pool_leave_word();
}

static void two_starting(void)
{
	setup(2, false);
}

static void one_sleeper(void)
{
	setup(1, true);
}

static void two_sleeper(void)
{
	setup(2, true);
}

static void three_sleeper(void)
{
	setup(3, true);
}

static void all_ran(void)
{
	for (unsigned i = 0; i < nr_children; i++)
		CHECK(children[i].runs == 1);
}

/*
 * A push into the worker's own ring is a plain store: only the fences keep it before the check of
 * the word [S1].
 */
CHECK_SCENARIO(sync_own_ring, .about = "pushed to the own ring before blocking: another runs it",
	.setup = one_notified, .finally = all_ran, .may_block = true,
	.threads = { IN_TASK(NULL), WORKER(1) });

CHECK_SCENARIO(sync_own_ring_parked, .about = "the same while the other worker sleeps",
	.setup = one_sleeper, .finally = all_ran, .may_block = true,
	.threads = { IN_TASK(NULL), PARKED(1) });

CHECK_SCENARIO(sync_own_ring_2, .about = "two pushes to the own ring, one after the other",
	.random = SAMPLE_OTHERS, .setup = two_starting, .finally = all_ran, .may_block = true,
	.threads = { IN_TASK(NULL), WORKER(1) });

CHECK_SCENARIO(sync_own_ring_2_parked, .about = "the same while the other worker sleeps",
	.random = SAMPLE_OTHERS, .setup = two_sleeper, .finally = all_ran, .may_block = true,
	.threads = { IN_TASK(NULL), PARKED(1) });

/* The batch is more than the ring holds: the older half and the rest overflow. */
CHECK_SCENARIO(sync_own_overflow, .about = "a batch that overflows the ring before blocking",
	.random = SAMPLE_OTHERS, .setup = three_sleeper, .finally = all_ran, .may_block = true,
	.threads = { IN_TASK(&batch), PARKED(1) });

static struct job blocking = JOB_INIT(job_block);

static void two_injected(void)
{
	pool_new(2, 0);
	pool_add_worker(0);
	pool_add_worker(0);
	pool_signal(registry_at(pool, 0));
	job_queue(&blocking);
	job_queue(&children[0]);
	nr_children = 1;
}

static void both_ran(void)
{
	CHECK(blocking.runs == 1 && children[0].runs == 1);
}

/*
 * A task is moved into the ring together with the task that blocks. The notification alone hands
 * the task over: there is no fence between the move and the notification [S2].
 */
CHECK_SCENARIO(sync_own_moved, .about = "a task moved into the ring of a worker that blocks",
	.random = SAMPLE_OTHERS, .setup = two_injected, .finally = both_ran, .may_block = true,
	.threads = { WORKER(0), WORKER(1) });
