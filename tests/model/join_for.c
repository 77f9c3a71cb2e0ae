/* SPDX-License-Identifier: MIT */
/*
 * A join that times out (src/life/pool_join.c), beside a worker, and a second joiner or a waiter
 * for quiescence. Invariants: a joiner that comes later, or that waited for the first, ends the
 * pool; the waiter for quiescence is not forgotten.
 */
#include "pool_setup.h"

static struct job jobs[1] = { JOB_INIT(job_run) };
static int ended[2];
static size_t returned[2];

static void join_timed(void *unused)
{
	struct nap_batch left;
	int err = nap_pool_join_for(pool, &left, 1);

	(void)unused;
	CHECK(err == 0 || err == -EALREADY || err == -ETIMEDOUT);
	ended[0] = err == 0;
	returned[0] = left.count;
}

static void join_last(void *unused)
{
	struct nap_batch left;
	int err = nap_pool_join(pool, &left);

	(void)unused;
	CHECK(err == 0 || err == -EALREADY);
	ended[1] = err == 0;
	returned[1] = left.count;
}

static void one_ended(void)
{
	CHECK(ended[0] + ended[1] == 1);
	CHECK((size_t)jobs[0].runs + returned[0] + returned[1] == 1);
	CHECK(!pool->records);
}

/* Setup: worker 0 is thread 2, on its way to the task when the pool is stopped. */
static void stopped(void)
{
	pool_new(1, 2);
	pool_add_worker(2);
	pool_signal(registry_at(pool, 0));
	job_queue(&jobs[0]);
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
}

/* The second joiner must not join a thread that the first joiner has joined [J2]. */
CHECK_SCENARIO(join_for_two, .about = "a joiner gives up beside another: that one ends the pool",
	.setup = stopped, .finally = one_ended,
	.threads = { { join_timed, .name = "timed" }, { join_last, .name = "joiner" },
		     WORKER(0) });

/* Setup: worker 0 is thread 1, on its way to the task. */
static void draining(void)
{
	pool_new(1, 1);
	pool_add_worker(1);
	pool_signal(registry_at(pool, 0));
	job_queue(&jobs[0]);
	CHECK(nap_pool_shutdown(pool, NAP_DRAIN) == 0);
}

static void timed_then_last(void *unused)
{
	int err = nap_pool_join_for(pool, NULL, 1);

	(void)unused;
	CHECK(err == 0 || err == -ETIMEDOUT);
	/* The worker may have left, and then no other thread reports that the pool is quiet. */
	if (err)
		check_join(2);
	CHECK(nap_pool_join(pool, NULL) == (err ? 0 : -EALREADY));
	check_join(2);
	pool_free();
}

static void quiesce(void *unused)
{
	(void)unused;
	CHECK(nap_pool_quiesce(pool) == 0);
	CHECK(jobs[0].runs == 1);
}

CHECK_SCENARIO(join_for_quiesce, .about = "a joiner gives up: who waits for quiet comes to an end",
	.setup = draining, .random = 20000,
	.threads = { { timed_then_last, .name = "timed" }, WORKER(0),
		     { quiesce, .name = "waiter" } });
