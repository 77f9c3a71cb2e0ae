/* SPDX-License-Identifier: MIT */
/*
 * A pool's first worker and its last, in nap's sources. The faults that published_spawn.c and
 * published_event.c find in Zap's sources must not be found here. Starts fail where the scenario
 * says so. The pool is freed as soon as its user no longer needs it.
 */
#include "pool_setup.h"

#define USER	0u
#define WORKER_0 1u

static struct job jobs[] = { JOB_INIT(job_run), JOB_INIT(job_run) };

static void begin(void)
{
	pool_new(1, WORKER_0);
}

static void schedule(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		CHECK(job_schedule(&jobs[i]) == 0);
}

static void check_runs(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		CHECK(jobs[i].runs == 1);
}

/* ---- the first start fails */

/*
 * Injects two tasks without the gate. The second injection must find that no worker is being
 * started any longer.
 */
static void inject_two(void *unused)
{
	(void)unused;
	job_inject(&jobs[0]);
	job_inject(&jobs[1]);
}

static void both_ran(void)
{
	check_runs(2);
}

CHECK_SCENARIO(nap_first_spawn_fails,
	.about = "nap: the first start fails: the next schedule tries again",
	.setup = begin, .finally = both_ran, .may_block = true, .spawn_failures = 1,
	.threads = { { inject_two, NULL, "user" } }, .models = CHECK_ALL);

static void user(void *arg)
{
	uint32_t n = (uint32_t)(uintptr_t)arg;

	schedule(n);
	CHECK(nap_pool_quiesce(pool) == 0);
	check_runs(n);
}

static void user_comes_back(void)
{
	if (check_waits(USER))
		check_fail("hang: the user waits for tasks that nobody is there to run");
}

CHECK_SCENARIO(nap_every_spawn_fails,
	.about = "nap: no start succeeds: who waits runs the task",
	.setup = begin, .finally = user_comes_back, .may_block = true, .spawn_failures = 1,
	.threads = { { user, (void *)1, "user" } }, .models = CHECK_ALL);

/* ---- the pool is freed right after join */

/* Setup: the worker is on its way to sleep, asleep, or on its way out. */
static void begin_join(void)
{
	begin();
	pool_add_worker(WORKER_0);
}

CHECK_SCENARIO(nap_join_frees,
	.about = "nap: the pool is freed right behind join, which no worker notices",
	.setup = begin_join, .threads = { { pool_join, NULL, "joiner" }, WORKER(0) },
	.models = CHECK_ALL);
