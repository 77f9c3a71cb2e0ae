/* SPDX-License-Identifier: MIT */
/*
 * Workers that wait for a slot. Invariants: each worker is notified of a slot by the thread that
 * gives the slot back, whether the worker's wait begins before the slot is given back or after it;
 * until then the worker runs what is scheduled. The pause after which such a wait checks again
 * never ends here.
 */
#include <nap/submit.h>

#include "kit/slots.h"
#include "pool_setup.h"

static struct nap_submitter submits[1], *submit = submits;
static struct nap_slot slots[2], *held;
/* written by the thread that has the slot; not atomic, so a missing order is a race */
static int runs;

static void fn(void *arg)
{
	CHECK(arg == slots);
	runs++;
}

static void wait_for_slot(struct nap_task *task)
{
	job_begin(task);
	CHECK(nap_submit_wait(submit, fn, slots, NAP_FOREVER) == 0);
}

static struct job waiting = JOB_INIT(wait_for_slot);

static void give(void *none)
{
	(void)none;
	slots_push(submit, held);
	slots_count_down(submit);
}

static void run_give(struct nap_task *task)
{
	job_begin(task);
	give(NULL);
}

static struct job giving = JOB_INIT(run_give);

static void inject_give(void *none)
{
	(void)none;
	job_inject(&giving);
}

/*
 * Setup: there are @n slots, the count permits the use of one, and one is in use. The task that
 * wants a slot is queued, and the worker has been notified.
 */
static void take_one_of(uint32_t n)
{
	bool passed;

	seam_no_timeouts();
	pool_new(1, 0);
	pool_signal(pool_add_worker(0));
	CHECK(nap_submit_init(submit, pool, slots, n, 0, 0, NULL, NULL) == 0);
	CHECK(nap_submit_set_count(submit, 1) == 0);
	CHECK(slots_count_up(submit, &passed));
	held = slots_pop(submit);
	check_name(&submit->taken, sizeof(submit->taken), "taken");
	check_name(&submit->waiters, sizeof(submit->waiters), "waiters");
	job_queue(&waiting);
}

static void setup(void)
{
	take_one_of(1);
}

static void setup_flat(void)
{
	setup();
	seam_flat();
}

static void has_run(void)
{
	CHECK(waiting.runs == 1 && runs == 1);
	CHECK((uint32_t)nap_load_relaxed(&submit->stuck) == 0 &&
	      nap_load_relaxed(&pool->at_nest_limit) == 0);
	CHECK(nap__idle_quiet(pool));
}

static void both_have_run(void)
{
	CHECK(giving.runs == 1);
	has_run();
}

#define GIVER { give, .name = "giver" }

CHECK_SCENARIO(submit_worker_told, .about = "a worker that waits is told of a slot",
	.setup = setup, .finally = has_run, .may_block = true,
	.threads = { WORKER(0), GIVER });

CHECK_SCENARIO(submit_worker_flat, .about = "so is one that may not nest",
	.setup = setup_flat, .finally = has_run, .may_block = true,
	.threads = { WORKER(0), GIVER });

CHECK_SCENARIO(submit_worker_called, .about = "what gives the slot back is scheduled meanwhile",
	.setup = setup, .finally = both_have_run, .may_block = true,
	.threads = { WORKER(0), { inject_give, .name = "producer" } });

static void setup_count(void)
{
	take_one_of(2);
}

static void raise_count(void *none)
{
	(void)none;
	CHECK(nap_submit_set_count(submit, 2) == 0);
}

CHECK_SCENARIO(submit_worker_count, .about = "a worker that waits is told of a count that rises",
	.setup = setup_count, .finally = has_run, .may_block = true,
	.threads = { WORKER(0), { raise_count, .name = "setter" } });

/* A task from outside, so that EVENT_WORK and EVENT_LATCH come to the same word. */
static struct job extra = JOB_INIT(job_run);

static void inject_extra(void *none)
{
	(void)none;
	job_inject(&extra);
}

static void extra_has_run(void)
{
	CHECK(extra.runs == 1);
	has_run();
}

CHECK_SCENARIO(submit_worker_both, .about = "a worker that waits is called by work and by a slot",
	.setup = setup, .finally = extra_has_run, .may_block = true, .random = 10000,
	.threads = { WORKER(0), GIVER, { inject_extra, .name = "producer" } });

/* A second waiter: both are notified of the slot, or the second one by the first. */
static struct job second = JOB_INIT(wait_for_slot);

static void setup_two(void)
{
	bool passed;

	seam_no_timeouts();
	pool_new(2, 0);
	pool_signal(pool_add_worker(0));
	pool_add_worker(0);
	CHECK(nap_submit_init(submit, pool, slots, 1, 0, 0, NULL, NULL) == 0);
	CHECK(slots_count_up(submit, &passed));
	held = slots_pop(submit);
	job_queue(&waiting);
	job_queue(&second);
}

static void two_have_run(void)
{
	CHECK(waiting.runs == 1 && second.runs == 1 && runs == 2);
	CHECK((uint32_t)nap_load_relaxed(&submit->stuck) == 0 && nap__idle_quiet(pool));
}

CHECK_SCENARIO(submit_worker_two, .about = "two workers wait for one slot",
	.setup = setup_two, .finally = two_have_run, .may_block = true, .random = 5000,
	.threads = { WORKER(0), WORKER(1), GIVER });
