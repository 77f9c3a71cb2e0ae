/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a pool to fall quiet (src/wait/quiesce.c), against workers and helpers
 * (src/wait/help.c). Invariants: a waiter that learns that the pool is quiet sees what every task
 * did that was scheduled before (the payload is not atomic); no waiter is forgotten.
 */
#include "sync/event.h"
#include "pool_setup.h"

static struct job jobs[2] = { JOB_INIT(job_run), JOB_INIT(job_run) };
static int stopped;

static void quiesce_first(void *unused)
{
	(void)unused;
	CHECK(nap_pool_quiesce(pool) == 0);
	CHECK(jobs[0].runs == 1);
}

static void inject_quiesce(void *unused)
{
	job_inject(&jobs[0]);
	quiesce_first(unused);
}

/* ---- workers, which are threads 1 and up */

static void one_parked(void)
{
	pool_new(1, 1);
	pool_set_idle(pool_add_worker(1));
}

static void one_signaled(void)
{
	pool_new(1, 1);
	pool_add_worker(1);
	pool_signal(registry_at(pool, 0));
	job_queue(&jobs[0]);
}

static void quiet(void)
{
	CHECK(!check_waits(0));
	CHECK(nap__idle_quiet(pool));
}

/* The worker that falls asleep last finds the waiter enlisted [Q2]. */
CHECK_SCENARIO(quiesce_signaled, .about = "quiesce while a worker is about to run the task",
	.random = SAMPLE_OTHERS, .setup = one_signaled, .finally = quiet, .may_block = true,
	.threads = { { quiesce_first, .name = "waiter" }, WORKER(0) });

CHECK_SCENARIO(quiesce_parked, .about = "schedule and quiesce with a worker that sleeps",
	.setup = one_parked, .finally = quiet, .may_block = true, .random = 10000,
	.threads = { { inject_quiesce, .name = "waiter" }, PARKED(0) });

static void run_child(struct nap_task *task)
{
	job_begin(task);
	CHECK(job_schedule(&jobs[1]) == 0);
}

static struct job parent = JOB_INIT(run_child);

static void family(void)
{
	pool_new(1, 1);
	pool_add_worker(1);
	pool_signal(registry_at(pool, 0));
	job_queue(&parent);
}

static void quiesce_family(void *unused)
{
	(void)unused;
	CHECK(nap_pool_quiesce(pool) == 0);
	CHECK(parent.runs == 1 && jobs[1].runs == 1);
}

CHECK_SCENARIO(quiesce_child, .about = "quiet means also what the tasks have scheduled",
	.random = SAMPLE_OTHERS, .setup = family, .finally = quiet, .may_block = true,
	.threads = { { quiesce_family, .name = "waiter" }, WORKER(0) });

/* ---- a worker that waits inside a task counts as idle, but the pool is not quiet */

static int written;

/*
 * Worker 0 is idle inside a task. Once the worker is woken the task ends, and the worker goes
 * idle.
 */
static void wait_then_write(void *unused)
{
	struct nap_worker *w = registry_at(pool, 0);
	uint32_t reasons = 0;

	(void)unused;
	self_is(nap__self(), w);
	CHECK(nap__park(w, UINT64_MAX, &reasons) == NAP_WAIT_OVER && reasons == EVENT_LATCH);
	written = 1;
	nap__worker_main(w);
}

static void in_task(void)
{
	pool_new(1, 1);
	pool_set_idle(pool_add_worker(1));
	registry_at(pool, 0)->rest = 2;
}

static void call_back(void *unused)
{
	(void)unused;
	event_set(&registry_at(pool, 0)->event, EVENT_LATCH);
}

static void quiesce_nested(void *unused)
{
	(void)unused;
	CHECK(nap_pool_quiesce(pool) == 0);
	CHECK(written == 1);
}

/* Worker 0 is inside a task, and no thread has notified it since it began. */
static void write_in_task(void *unused)
{
	struct nap_worker *w = registry_at(pool, 0);

	(void)unused;
	self_is(nap__self(), w);
	written = 1;
	nap__worker_main(w);
}

static void one_busy(void)
{
	pool_new(1, 1);
	pool_add_worker(1);
}

/*
 * Without [Q3] the waiter could read the word as it was while the task waited, and the worker's
 * idleness as it is after the task, and so take the pool for quiet.
 */
CHECK_SCENARIO(quiesce_nested, .about = "a task that waits is not quiet",
	.random = SAMPLE_OTHERS, .setup = in_task, .finally = quiet, .may_block = true,
	.threads = { { quiesce_nested, .name = "waiter" },
		     { wait_then_write, .name = "W0" }, { call_back, .name = "doer" } });

/* What the task did comes before the worker counts itself as idle. [S4] */
CHECK_SCENARIO(quiesce_busy, .about = "quiesce while a worker runs a task",
	.random = SAMPLE_OTHERS, .setup = one_busy, .finally = quiet, .may_block = true,
	.threads = { { quiesce_nested, .name = "waiter" },
		     { write_in_task, .name = "W0" } });

/* ---- helpers */

/* Setup: the only worker sleeps, and has not been notified of the task that is queued. */
static void one_untold(void)
{
	pool_new(1, 2);
	pool_set_idle(pool_add_worker(2));
	job_queue(&jobs[0]);
}

static void help(void *unused)
{
	(void)unused;
	CHECK(nap_pool_help(pool, 1) == 1);
}

/*
 * The helper is counted before it takes a task [Q3]; the waiter sees what the helper did [H1];
 * the helper notifies the waiter [Q1].
 */
CHECK_SCENARIO(quiesce_helper, .about = "a pool is not quiet while somebody helps",
	.setup = one_untold,
	.threads = { { quiesce_first, .name = "waiter" }, { help, .name = "helper" } });

static void no_worker(void)
{
	pool_new(1, 2);
	job_queue(&jobs[0]);
}

static void help_any(void *unused)
{
	long n = nap_pool_help(pool, 0);

	(void)unused;
	CHECK(n == 0 || n == 1);
}

CHECK_SCENARIO(quiesce_two_helpers, .about = "without workers the task is run by either, once",
	.setup = no_worker, .finally = quiet, .may_block = true, .random = 10000,
	.threads = { { quiesce_first, .name = "waiter" }, { help_any, .name = "helper" } });

/* ---- a stop; the only worker is in the middle of a task, for ever */

static void one_in_task(void)
{
	pool_new(1, 2);
	pool_add_worker(2)->rest = 2;
}

static void stop(void *unused)
{
	(void)unused;
	stopped = 1;
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
}

static void quiesce_canceled(void *unused)
{
	(void)unused;
	CHECK(nap_pool_quiesce(pool) == -ECANCELED);
	CHECK(stopped == 1);
}

/*
 * The stopper raises the phase before it takes the list; the waiter enlists before it checks the
 * phase [Q1].
 */
CHECK_SCENARIO(quiesce_stop, .about = "a stop ends the wait for a pool that never falls quiet",
	.setup = one_in_task,
	.threads = { { quiesce_canceled, .name = "waiter" }, { stop, .name = "stopper" } });

static void quiesce_timed(void *unused)
{
	(void)unused;
	CHECK(nap_pool_quiesce_for(pool, 1) == -ETIMEDOUT);
}

static void inject_first(void *unused)
{
	(void)unused;
	job_inject(&jobs[0]);
}

CHECK_SCENARIO(quiesce_timed, .about = "the wait for a pool that never falls quiet times out",
	.setup = one_in_task,
	.threads = { { quiesce_timed, .name = "waiter" }, { inject_first, .name = "producer" } });
