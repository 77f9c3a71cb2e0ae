/* SPDX-License-Identifier: MIT */
/*
 * A worker that waits inside a task parks as an idle worker. The wait ends for another reason than
 * work, while a notification or a wake is on its way to the worker. Then the worker must pass the
 * notification or the wake on, because what it does next never ends. Invariant (work conservation):
 * another worker runs the task that the waiting worker was woken for, unless the waiting worker has
 * run it.
 */
#include "sync/event.h"
#include "pool_setup.h"

static struct job job = JOB_INIT(job_run);
static struct nap_group group;

/* Setup: worker 0 is idle inside a task, worker 1 sleeps. */
static void both_idle(void)
{
	pool_new(2, 0);
	pool_set_idle(pool_add_worker(0));
	registry_at(pool, 0)->rest = 2;
	pool_set_idle(pool_add_worker(0));
}

/* Setup: as both_idle(), with worker 0 on top of the idle set. */
static void both_idle_turned(void)
{
	struct nap_worker *w;

	pool_new(2, 0);
	w = pool_add_worker(0);
	w->rest = 2;
	pool_set_idle(pool_add_worker(0));
	pool_set_idle(w);
	w->rest = 2;
}

static char yes;

/* Runs what comes, as nap_group_wait() does in a worker, until the wait is over; then blocks. */
static void wait_then_block(void *timed)
{
	struct nap_worker *w = registry_at(pool, 0);
	uint64_t deadline = timed ? nap__os_now() + 1 : UINT64_MAX;
	struct nap_task *task;
	uint32_t reasons = 0;

	self_is(nap__self(), w);
	while (nap__park(w, deadline, &reasons) != NAP_WAIT_OVER)
		while ((task = nap__dequeue(w)))
			nap__run(w, task);
	CHECK(timed || reasons == EVENT_LATCH);
	nap__idle_stop_search(w, false);
	block_for_ever();
}

static void inject(void *unused)
{
	(void)unused;
	job_inject(&job);
}

static void call_away(void *unused)
{
	(void)unused;
	event_set(&registry_at(pool, 0)->event, EVENT_LATCH);
}

static void ran(void)
{
	CHECK(job.runs == 1);
	if (MODEL_IDLE == NAP_IDLE_SYNC)
		CHECK(!(nap_load_relaxed(&pool->sync) & SYNC_NOTIFIED));
}

/* The deadline comes while worker 0 is withdrawn from the idle set, or popped. */
CHECK_SCENARIO(sync_leave_timeout, .about = "a wait times out while a task is notified",
	.setup = both_idle_turned, .finally = ran, .may_block = true, .random = 10000,
	.threads = { { wait_then_block, &yes, "W0" }, PARKED(1), { inject, .name = "producer" } });

/* Two reasons to wake the worker come at the same time: EVENT_WORK and EVENT_LATCH. */
CHECK_SCENARIO(sync_leave_latch, .about = "a wait is over while its worker is woken for a task",
	.setup = both_idle_turned, .finally = ran, .may_block = true, .random = 10000,
	.threads = { { wait_then_block, .name = "W0" }, PARKED(1), { inject, .name = "producer" },
		     { call_away, .name = "doer" } });

CHECK_SCENARIO(sync_leave_below, .about = "a wait is over while another worker is woken for a task",
	.setup = both_idle, .finally = ran, .may_block = true, .random = 10000,
	.threads = { { wait_then_block, .name = "W0" }, PARKED(1), { inject, .name = "producer" },
		     { call_away, .name = "doer" } });

/* ---- a wait that is over before the search that the protocol asks for */

/* Setup: worker 0 runs inside a task, worker 1 sleeps. */
static void one_runs(void)
{
	pool_new(2, 0);
	pool_add_worker(0)->rest = 2;
	pool_set_idle(pool_add_worker(0));
}

/* Goes to park. If the protocol asks for a second search, the worker leaves instead. */
static void leave_before_the_search(void *unused)
{
	struct nap_worker *w = registry_at(pool, 0);
	enum nap__verdict verdict;
	struct nap_task *task = NULL;

	(void)unused;
	self_is(nap__self(), w);
	verdict = nap__idle_prepare(w);
	if (verdict == NAP_SEARCH) {
		task = nap__dequeue(w);
		if (!task)
			verdict = nap__idle_prepare(w);
	}
	if (task)
		nap__run(w, task);
	else if (verdict == NAP_PARK)
		nap__idle_abort_park(w);
	else
		nap__idle_stop_search(w, false);
	block_for_ever();
}

CHECK_SCENARIO(sync_leave_unsearched, .about = "a worker that is to search leaves, as a task comes",
	.setup = one_runs, .finally = ran, .may_block = true, .random = 10000,
	.threads = { { leave_before_the_search, .name = "W0" }, PARKED(1),
		     { inject, .name = "producer" } });

/* ---- nap_group_wait() itself */

static void in_group(void)
{
	one_runs();
	nap_group_init(&group, pool);
	CHECK(nap_group_add(&group, 1) == 0);
	check_name(&group, sizeof(group), "group");
}

static void wait_group(void *unused)
{
	(void)unused;
	self_is(nap__self(), registry_at(pool, 0));
	CHECK(nap_group_wait(&group) == 0);
	block_for_ever();
}

static void done(void *unused)
{
	(void)unused;
	CHECK(nap_group_done(&group) == 0);
}

CHECK_SCENARIO(sync_leave_group, .about = "a group is complete while a task is notified",
	.setup = in_group, .finally = ran, .may_block = true, .random = 10000,
	.threads = { { wait_group, .name = "W0" }, PARKED(1), { inject, .name = "producer" },
		     { done, .name = "doer" } });

/* ---- the end */

static void sleeper_and_starter(void)
{
	pool_new(2, 0);
	pool_set_idle(pool_add_worker(0));
	pool_add_worker(0);
}

static void sleeper(void)
{
	pool_new(1, 0);
	pool_set_idle(pool_add_worker(0));
}

static void shut_down(void *unused)
{
	(void)unused;
	nap__idle_shutdown(pool);
}

static void ended(void)
{
	CHECK(!check_waits(0) && !check_waits(1));
	if (MODEL_IDLE == NAP_IDLE_SYNC)
		CHECK(sync_state(nap_load_relaxed(&pool->sync)) == SYNC_SHUTDOWN);
	CHECK(job.runs <= 1);
}

/* EVENT_EXIT against EVENT_WORK. */
CHECK_SCENARIO(sync_leave_exit, .about = "the end against a notification: the worker leaves",
	.random = SAMPLE_OTHERS, .setup = sleeper, .finally = ended,
	.threads = { PARKED(0), { inject, .name = "producer" }, { shut_down, .name = "ender" } });

/* EVENT_EXIT against a worker that goes to sleep. */
CHECK_SCENARIO(sync_leave_exit_2, .about = "the end while one worker sleeps and one goes to sleep",
	.random = SAMPLE_OTHERS, .setup = sleeper_and_starter, .finally = ended,
	.threads = { PARKED(0), WORKER(1), { shut_down, .name = "ender" } });
