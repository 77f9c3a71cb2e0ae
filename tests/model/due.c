/* SPDX-License-Identifier: MIT */
/*
 * Due timers beside a busy worker (src/async/timer/due.c, src/sched/fair.h). W0 is between two
 * tasks of its ring, W1 is about to sleep, and two timers are due. Invariants: W0 runs a due timer
 * before the task in its ring, one timer at a time, and notifies another worker of the second
 * timer.
 *
 * The first timer's function never ends. The poller sleeps beyond the timers' time, like a thread
 * that gets no CPU from the kernel. So W1 runs the second timer only if W0 has notified W1.
 */
#include "async/timer/timer.h"
#include "async/timer/timers.h"
#include "sched/fair.h"
#include "fiber_setup.h"

#define NR 2

static struct nap_timer timers[NR];
/* the timers' functions read it; not atomic, so a missing order is a race */
static int in;
static bool fired[NR];		/* each function writes its own entry; not atomic */

/*
 * Runs for the first timer on W0, which was awake, and for the second on W1, which W0 has
 * notified.
 */
static void fire(struct nap_task *task)
{
	unsigned number = (unsigned)(nap_container_of(task, struct nap_timer, task) - timers);

	CHECK(in == JOB_IN && check_self() == number);
	fired[number] = true;
	if (number == 0)
		block_for_ever();
}

/* Must run on W1, because W0 runs the due timer first, and the timer's function never ends. */
static void run_behind(struct nap_task *task)
{
	job_begin(task);
	CHECK(check_self() == 1);
}

static struct job job = JOB_INIT(run_behind);

/* W0 goes on in the middle of its loop, between two tasks of its ring. */
static void go_on(void *unused)
{
	struct nap_worker *w = registry_at(pool, 0);

	(void)unused;
	self_is(nap__self(), w);
	nap__run_plain(w);
	nap__worker_main(w);
}

/* Setup: W0 has a task in its ring; W1 is about to sleep; two timers are due. */
static void setup(void)
{
	struct nap__timers *all;
	struct nap_worker *w;

	pool_new(2, 0);
	w = pool_add_worker(0);
	pool_set_idle(pool_add_worker(0));
	w->tick = FAIR_GAP - 1;
	job.in = in = JOB_IN;
	w->rest = 2;
	ring_put(&w->ring, 0, &job.task);
	ring_commit(&w->ring, 1);
	all = &nap__fibers_of(pool)->async.timers;
	check_name(all, sizeof(*all), "pool.timers");
	for (unsigned i = 0; i < NR; i++) {
		nap_timer_init(&timers[i], fire);
		timers[i].pool = pool;
		timers[i].state = TIMER_ARMED;
		timers[i].task.run = nap__timer_run;
		timers[i].node.when = 1 + i;
		nap__timers_put(all, &timers[i].node);
	}
	seam_no_timeouts();
}

static void all_have_run(void)
{
	CHECK(fired[0] && fired[1] && job.runs == 1);
	CHECK(check_waits(0));
}

CHECK_SCENARIO(due_first, .about = "two timers are due beside a worker with a task in its ring",
	.setup = setup, .finally = all_have_run, .may_block = true,
	.threads = { { go_on, NULL, "W0" }, PARKED(1) });
