/* SPDX-License-Identifier: MIT */
/*
 * The notice of a pool's end (src/kit/ends.c). The loop lists a notice and sleeps until the
 * notice comes, while workers, a helper, a caller or a producer finish, and a thread drains,
 * stops or joins the pool. Invariants: one notice comes (a pool that ends without a notice is a
 * deadlock here); then the loop sees all that was done (payloads are not atomic), and may join
 * and free the pool.
 */
#include "kit/ends.h"
#include "worker/phase.h"
#include "pool_setup.h"

static struct job jobs[2] = { JOB_INIT(job_run), JOB_INIT(job_run) };
static struct nap_end end;
static uint32_t nr_told;

/* Counts the notice, in place of a completion queue's push, which has scenarios of its own. */
static int push(struct nap_cq *cq, struct nap_task *task)
{
	CHECK(task == &end.task && cq);
	CHECK(nap_fetch_add_release(&nr_told, 1) == 0);
	nap__futex_wake(&nr_told, 1);
	return 0;
}

static void end_new(void)
{
	static struct nap_cq cq;

	end = (struct nap_end){ NAP_TASK_INIT(job_run), &cq, push };
}

static void await_told(void)
{
	while (!nap_load_acquire(&nr_told))
		nap__futex_wait(&nr_told, 0, UINT64_MAX);
}

static void told_once(void)
{
	CHECK(nap_load_relaxed(&nr_told) == 1);
}

/* ---- a drain */

static void one_signaled(void)
{
	pool_new(1, 1);
	pool_add_worker(1);
	pool_signal(registry_at(pool, 0));
	job_queue(&jobs[0]);
	end_new();
}

static void notify_drain_wait(void *unused)
{
	(void)unused;
	CHECK(nap_pool_notify_end(pool, &end) == 0);
	CHECK(nap_pool_shutdown(pool, NAP_DRAIN) == 0);
	await_told();
	CHECK(jobs[0].runs == 1);
}

/*
 * The worker falls idle, and then checks for a listed notice. The loop lists the notice, and then
 * checks for an idle pool. [N1]
 */
CHECK_SCENARIO(ends_drain, .about = "the last worker is about to sleep, or runs the last task",
	.setup = one_signaled, .finally = told_once, .may_block = true, .random = SAMPLE_OTHERS,
	.threads = { { notify_drain_wait, .name = "loop" }, WORKER(0) });

static void drain_notify_wait(void *unused)
{
	(void)unused;
	CHECK(nap_pool_shutdown(pool, NAP_DRAIN) == 0);
	CHECK(nap_pool_notify_end(pool, &end) == 0);
	await_told();
	CHECK(jobs[0].runs == 1);
}

CHECK_SCENARIO(ends_drain_first, .about = "the same, listed when the drain has begun",
	.setup = one_signaled, .finally = told_once, .may_block = true, .random = SAMPLE_OTHERS,
	.threads = { { drain_notify_wait, .name = "loop" }, WORKER(0) });

/*
 * A thread lists the notice, and another shuts the pool down. The thread that comes second finds
 * what the first has done.
 */
static void none(void)
{
	pool_new(1, 2);
	end_new();
}

static void notify_wait(void *unused)
{
	(void)unused;
	CHECK(nap_pool_notify_end(pool, &end) == 0);
	await_told();
}

static void drain(void *unused)
{
	(void)unused;
	CHECK(nap_pool_shutdown(pool, NAP_DRAIN) == 0);
}

CHECK_SCENARIO(ends_two, .about = "listed by one while another begins the drain",
	.setup = none, .finally = told_once,
	.threads = { { notify_wait, .name = "loop" }, { drain, .name = "stopper" } });

/*
 * Setup: both workers have been inside a task; the worker that falls idle last sees that the
 * other is idle.
 */
static void two_resting(void)
{
	pool_new(2, 1);
	pool_add_worker(2);
	pool_add_worker(2);
	end_new();
	CHECK(nap__ends_add(pool, &end));
	pool->intake = GATE_CLOSED;
	pool->phase = PHASE_DRAIN;
}

static void wait_only(void *unused)
{
	(void)unused;
	await_told();
}

CHECK_SCENARIO(ends_last_two, .about = "two workers fall idle at once: one of them tells",
	.setup = two_resting, .finally = told_once, .may_block = true, .random = 10000,
	.threads = { { wait_only, .name = "loop" }, WORKER(0), WORKER(1) });

/* ---- a thread that schedules from outside, and leaves without a check */

static void one_parked(void)
{
	pool_new(1, 2);
	pool_set_idle(pool_add_worker(2));
	end_new();
}

static int accepted;

static void schedule(void *unused)
{
	(void)unused;
	accepted = job_schedule(&jobs[0]) == 0;
}

static void drain_wait_producer(void *unused)
{
	(void)unused;
	CHECK(nap_pool_shutdown(pool, NAP_DRAIN) == 0);
	CHECK(nap_pool_notify_end(pool, &end) == 0);
	await_told();
	check_join(1);
	CHECK(jobs[0].runs == accepted);
}

CHECK_SCENARIO(ends_producer,
	.about = "a schedule from outside is accepted and run before, or refused",
	.setup = one_parked, .finally = told_once, .may_block = true, .random = 10000,
	.threads = { { drain_wait_producer, .name = "loop" }, { schedule, .name = "producer" },
		     PARKED(0) });

/* ---- a helper may run the last task; there is no worker */

static void no_worker(void)
{
	pool_new(1, 2);
	job_queue(&jobs[0]);
	end_new();
}

static void help(void *unused)
{
	long n = nap_pool_help(pool, 0);

	(void)unused;
	CHECK(n == 0 || n == 1);
}

CHECK_SCENARIO(ends_helper, .about = "a helper runs the last task, or the loop does",
	.setup = no_worker, .finally = told_once, .may_block = true, .random = 10000,
	.threads = { { drain_notify_wait, .name = "loop" }, { help, .name = "helper" } });

/* ---- a call from outside, which is inside the intake */

static int called;

static void call_fn(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	called = 1;
}

static void call(void *unused)
{
	(void)unused;
	accepted = nap_call(pool, call_fn, NULL) == 0;
}

static void drain_wait_call(void *unused)
{
	(void)unused;
	CHECK(nap_pool_notify_end(pool, &end) == 0);
	CHECK(nap_pool_shutdown(pool, NAP_DRAIN) == 0);
	await_told();
	check_join(1);
	CHECK(called == accepted);
}

CHECK_SCENARIO(ends_call, .about = "a call from outside is the last one, or refused",
	.setup = none, .finally = told_once, .random = 10000,
	.threads = { { drain_wait_call, .name = "loop" }, { call, .name = "caller" } });

/* ---- a stop: the worker whose thread ends last gives notice; then the pool is joined and freed */

static void two_about_to_rest(void)
{
	pool_new(2, 1);
	pool_add_worker(1);
	pool_add_worker(1);
	end_new();
}

static void stop_wait_join(void *unused)
{
	(void)unused;
	CHECK(nap_pool_notify_end(pool, &end) == 0);
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
	await_told();
	CHECK(nap_pool_join(pool, NULL) == 0);
	pool_free();
}

CHECK_SCENARIO(ends_stop,
	.about = "a stop: told by who goes home last; joined and freed behind that",
	.setup = two_about_to_rest, .finally = told_once, .random = 10000,
	.threads = { { stop_wait_join, .name = "loop" }, WORKER(0), WORKER(1) });

/*
 * The thread that checks last is not the worker that has run the task, but sees what that worker
 * and its worker_stop() did. [N1] [N2]
 */
static int nr_stopped;

static void worker_stop(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
	nr_stopped++;
}

static void one_counts_its_stop(void)
{
	one_signaled();
	pool->config.worker_stop = worker_stop;
	nr_stopped = 0;
}

static void stop_notify_wait(void *unused)
{
	(void)unused;
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
	CHECK(nap_pool_notify_end(pool, &end) == 0);
	await_told();
	CHECK(jobs[0].runs <= 1);
}

static void stop_notify_wait_stopped(void *unused)
{
	stop_notify_wait(unused);
	CHECK(nr_stopped == 1);
}

CHECK_SCENARIO(ends_stop_ran, .about = "a stop, listed while the only worker goes home from a task",
	.setup = one_counts_its_stop, .finally = told_once, .may_block = true,
	.threads = { { stop_notify_wait_stopped, .name = "loop" }, WORKER(0) });

CHECK_SCENARIO(ends_stop_helper, .about = "a stop, listed while a helper leaves with a task done",
	.setup = no_worker, .finally = told_once, .may_block = true,
	.threads = { { stop_notify_wait, .name = "loop" }, { help, .name = "helper" } });

/*
 * No guest record is free, and there is no worker: the caller waits inside the intake until the
 * stop cancels the call, and then checks for the notice. The loop lists the notice, and then checks
 * whether a caller waits. [N1]
 */
static void no_place(void)
{
	none();
	pool->nr_guests = NAP_GUESTS;
	idle_ops(pool)->shutdown(pool);
}

static void call_canceled(void *unused)
{
	int err = nap_call(pool, call_fn, NULL);

	(void)unused;
	CHECK(err == -ECANCELED || err == -ESHUTDOWN);
	CHECK(!called);
}

CHECK_SCENARIO(ends_stop_call, .about = "a stop, listed while a canceled call leaves",
	.setup = no_place, .finally = told_once,
	.threads = { { stop_notify_wait, .name = "loop" }, { call_canceled, .name = "caller" } });

/*
 * ---- the loop joins and frees the pool as soon as it has the notice, whichever thread sent the
 * notice
 */

static void drain_wait_join(void *unused)
{
	notify_drain_wait(unused);
	CHECK(nap_pool_join(pool, NULL) == 0);
	pool_free();
}

CHECK_SCENARIO(ends_join, .about = "joined and freed when the last worker has told",
	.setup = one_signaled, .finally = told_once, .random = 10000,
	.threads = { { drain_wait_join, .name = "loop" }, WORKER(0) });

static void join(void *unused)
{
	(void)unused;
	CHECK(nap_pool_join(pool, NULL) == 0);
}

static void notify_or_not(void *unused)
{
	int err = nap_pool_notify_end(pool, &end);

	(void)unused;
	CHECK(err == 0 || err == -ESHUTDOWN);
	if (err == 0)
		await_told();
	/* true also where the loop comes too late to list a notice [N3] */
	CHECK(jobs[0].runs == 1);
	check_join(2);
	CHECK(nap_load_relaxed(&nr_told) == (err == 0));
	pool_free();
}

CHECK_SCENARIO(ends_joiner, .about = "another joins: it tells, or is too late to be told of",
	.setup = one_signaled, .random = 10000,
	.threads = { { notify_or_not, .name = "loop" }, WORKER(0), { join, .name = "joiner" } });

/*
 * Stops and joins the pool. When the loop lists its notice, the worker may have been joined
 * already.
 */
static void stop_and_join(void *unused)
{
	(void)unused;
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
	join(NULL);
}

static void notify_stop_or_not(void *unused)
{
	int err = nap_pool_notify_end(pool, &end);

	(void)unused;
	CHECK(err == 0 || err == -ESHUTDOWN);
	if (err == 0)
		await_told();
	CHECK(jobs[0].runs <= 1);
	CHECK(nr_stopped == 1);
	check_join(2);
	CHECK(nap_load_relaxed(&nr_told) == (err == 0));
	pool_free();
}

CHECK_SCENARIO(ends_stop_joiner, .about = "another stops and joins: as above",
	.setup = one_counts_its_stop, .random = 10000,
	.threads = { { notify_stop_or_not, .name = "loop" }, WORKER(0),
		     { stop_and_join, .name = "joiner" } });
