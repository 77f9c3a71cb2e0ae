/* SPDX-License-Identifier: MIT */
/*
 * nap_call(): a thread from outside (thread 0) is a worker while its call lasts, beside a worker
 * (thread 2) that sleeps or goes to sleep. Invariants: what the caller forks is run once, by the
 * caller or the worker; after the call the pool is as before; a joiner (thread 1) that comes
 * during the call waits for the caller.
 */
#include "forked_setup.h"

static struct forked forked;
static struct job scheduled = JOB_INIT(job_run);
static int called;

static void fork_and_join(struct nap_worker *worker, void *arg)
{
	CHECK(arg == &called && nap_worker_self() == worker);
	CHECK(nap_worker_index(worker) == pool->limit);
	fork_one(worker, &forked);
	be_run_join(worker, worker->frames, &forked);
	CHECK(forked.runs == 1);
	called = 1;
}

static void call(void *unused)
{
	(void)unused;
	CHECK(nap_call(pool, fork_and_join, &called) == 0);
	CHECK(called == 1 && !nap_worker_self());
}

static void schedule_inside(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	CHECK(job_schedule(&scheduled) == 0);
	called = 1;
}

static void call_schedule(void *unused)
{
	(void)unused;
	CHECK(nap_call(pool, schedule_inside, NULL) == 0);
}

/* The caller is thread 0, a joiner thread 1, the worker thread 2. */
static void one_parked(void)
{
	pool_new(1, 2);
	pool_set_idle(pool_add_worker(2));
	check_name(&forked, sizeof(forked), "forked");
	check_name(&pool->forks, sizeof(pool->forks), "pool.forks");
}

static void one_busy(void)
{
	pool_new(1, 2);
	pool_add_worker(2);
}

static void as_before(void)
{
	CHECK(called == 1 && forked.runs == (forked.in == JOB_IN));
	CHECK(scheduled.runs == (scheduled.in == JOB_IN));
	CHECK(!check_waits(0) && check_waits(2));
	CHECK(nap__idle_quiet(pool) && nap__idle_spawned(pool) == 1);
	CHECK(guests_inside(pool) == 0);
}

CHECK_SCENARIO(call_parked, .about = "a guest forks, while the worker sleeps",
	.random = 10000, .setup = one_parked, .finally = as_before, .may_block = true,
	.threads = { { call, .name = "caller" }, [2] = PARKED(0) });

CHECK_SCENARIO(call_busy, .about = "a guest forks, while the worker goes to sleep",
	.random = 10000, .setup = one_busy, .finally = as_before, .may_block = true,
	.threads = { { call, .name = "caller" }, [2] = WORKER(0) });

CHECK_SCENARIO(call_schedules, .about = "what a guest schedules is run, though it has left",
	.random = 10000, .setup = one_busy, .finally = as_before, .may_block = true,
	.threads = { { call_schedule, .name = "caller" }, [2] = WORKER(0) });

static void call_or_not(void *unused)
{
	int err = nap_call(pool, fork_and_join, &called);

	(void)unused;
	CHECK(err == (called ? 0 : -ESHUTDOWN));
}

static void join_free(void *unused)
{
	(void)unused;
	CHECK(nap_pool_join(pool, NULL) == 0);
	check_join(0);
	CHECK(forked.runs == called);
	pool_free();
}

CHECK_SCENARIO(call_join, .about = "join waits for a guest, or the call is refused",
	.random = 10000, .setup = one_busy,
	.threads = { { call_or_not, .name = "caller" }, { join_free, .name = "joiner" },
		     [2] = WORKER(0) });
