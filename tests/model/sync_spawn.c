/* SPDX-License-Identifier: MIT */
/*
 * Starts of workers, of which some fail (src/thread/spawn.c). Invariants: each record is claimed
 * once, and given back when its start fails; with no worker at all a waiting thread runs the
 * tasks.
 */
#include "pool_setup.h"

static struct nap_group group;

static void run_done(struct nap_task *task)
{
	job_begin(task);
	CHECK(nap_group_done(&group) == 0);
}

static struct job jobs[2] = { JOB_INIT(job_run), JOB_INIT(job_run) };
static struct job last = JOB_INIT(run_done);

/* ---- records; the pool has ended, so that workers that are started leave at once */

static void two_counted(void)
{
	pool_new(2, 2);
	pool->sync = SYNC_SHUTDOWN + 2 * SYNC_SPAWNED_ONE;
}

static void spawn(void *unused)
{
	(void)unused;
	nap__idle_start(pool);
}

static void registered(void)
{
	unsigned n = 0, started = 0;

	for (struct nap_worker *w = registry_first(pool); w; w = w->next) {
		CHECK(w->pool == pool && n++ < 2);
		CHECK((nap_load_relaxed(&w->record) == RECORD_STARTED) == check_ran(2 + w->index));
		started += check_ran(2 + w->index);
	}
	CHECK(started == sync_spawned(nap_load_relaxed(&pool->sync)));
}

/* The mapping is made once [M1]; each starter finds the other's record in the registry [Y1]. */
CHECK_SCENARIO(spawn_two, .about = "two starts at the same time: one mapping, two records",
	.setup = two_counted, .finally = registered,
	.threads = { { spawn, .name = "starter1" }, { spawn, .name = "starter2" } });

/* A record that is given back is taken by the other starter, or stays free. */
CHECK_SCENARIO(spawn_two_fail, .about = "two starts of which some fail: records are given back",
	.setup = two_counted, .finally = registered, .spawn_failures = 2,
	.threads = { { spawn, .name = "starter1" }, { spawn, .name = "starter2" } });

static void one_worker(void)
{
	pool_new(1, 2);
}

static void prewarm(void *unused)
{
	(void)unused;
	nap__idle_spawn(pool, 1);
}

static void counted(void)
{
	CHECK(sync_spawned(nap_load_relaxed(&pool->sync)) == check_ran(2));
	CHECK(nap_load_relaxed(&pool->nr_records) == 1);
}

/* The only record goes from a start that fails to a later start [R3]. */
CHECK_SCENARIO(spawn_reuse, .about = "a failed start hands its record to the next one",
	.setup = one_worker, .finally = counted, .spawn_failures = 1, .may_block = true,
	.threads = { { prewarm, .name = "starter1" }, { prewarm, .name = "starter2" } });

/* ---- schedules whose start fails */

static void inject_two(void *unused)
{
	(void)unused;
	job_inject(&jobs[0]);
	job_inject(&jobs[1]);
}

static void both_ran(void)
{
	CHECK(jobs[0].runs == 1 && jobs[1].runs == 1);
}

CHECK_SCENARIO(spawn_retry, .about = "the first start fails, the next schedule tries again",
	.setup = one_worker, .finally = both_ran, .spawn_failures = 1, .may_block = true,
	.threads = { { inject_two, .name = "producer" } });

/*
 * If there is a worker, both tasks have run; otherwise the next schedule will try to start a
 * worker.
 */
static void ran_or_retried(void)
{
	uint32_t sync = nap_load_relaxed(&pool->sync);

	if (check_ran(2)) {
		both_ran();
		return;
	}
	CHECK(sync_spawned(sync) == 0 && sync_must_notify(sync, 1));
	CHECK(jobs[0].runs == 0 && jobs[1].runs == 0);
}

CHECK_SCENARIO(spawn_fail_two, .about = "a failed start never leaves a schedule to trust in it",
	.setup = one_worker, .finally = ran_or_retried, .spawn_failures = 2, .may_block = true,
	.threads = { { pool_inject, &jobs[0], "producer1" },
		     { pool_inject, &jobs[1], "producer2" } });

static void prewarm_pool(void *unused)
{
	int err = nap_pool_prewarm(pool, 1);

	(void)unused;
	CHECK(err == 0 || err == -EAGAIN);
}

/*
 * The producer's start may fail, or the prewarm's; if one of them succeeds, its worker has
 * searched.
 */
static void ran_if_started(void)
{
	CHECK(jobs[0].runs == check_ran(2));
}

CHECK_SCENARIO(spawn_prewarm, .about = "a prewarm does not leave what a failed start has left",
	.setup = one_worker, .finally = ran_if_started, .spawn_failures = 1, .may_block = true,
	.random = 10000,
	.threads = { { pool_inject, &jobs[0], "producer" }, { prewarm_pool, .name = "starter" } });

/* ---- with no worker at all, the waiting threads run the tasks */

static void group_of_one(void)
{
	one_worker();
	nap_group_init(&group, pool);
	CHECK(nap_group_add(&group, 1) == 0);
	check_name(&group, sizeof(group), "group");
}

static void wait_group(void *unused)
{
	(void)unused;
	CHECK(nap_group_wait(&group) == 0);
	CHECK(last.runs == 1);
}

static void nobody_waits(void)
{
	CHECK(!check_waits(0) && !check_waits(1));
	CHECK(last.runs == 1);
}

/* The start may fail after the waiter has checked; then the waiter is notified [Q1]. */
CHECK_SCENARIO(spawn_fail_group, .about = "no worker: who waits for the group runs the task",
	.random = 10000,
	.setup = group_of_one, .finally = nobody_waits, .spawn_failures = 1, .may_block = true,
	.threads = { { pool_inject, &last, "producer" }, { wait_group, .name = "waiter" } });

static void schedule_and_quiesce(void *unused)
{
	(void)unused;
	job_inject(&last);
	CHECK(nap_pool_quiesce(pool) == 0);
	CHECK(last.runs == 1);
}

CHECK_SCENARIO(spawn_fail_quiesce, .about = "no worker can be started: who waits for quiet runs it",
	.setup = group_of_one, .finally = nobody_waits, .spawn_failures = 2, .may_block = true,
	.random = 10000,
	.threads = { { pool_inject, &jobs[0], "producer" },
		     { schedule_and_quiesce, .name = "waiter" } });

static void schedule_and_join(void *unused)
{
	(void)unused;
	CHECK(job_schedule(&last) == 0);
	CHECK(nap_pool_join(pool, NULL) == 0);
	CHECK(last.runs == 1);
	pool_free();
}

static void joined(void)
{
	CHECK(last.runs == 1);
}

CHECK_SCENARIO(spawn_fail_join, .about = "no worker can be started: who joins runs what is left",
	.setup = group_of_one, .finally = joined, .spawn_failures = 2, .random = 10000,
	.threads = { { schedule_and_join, .name = "joiner" } });
