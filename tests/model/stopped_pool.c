/* SPDX-License-Identifier: MIT */
/*
 * nap_schedule() from outside waits for no thread: it completes although another producer, a
 * worker, a helper, or the thread that ends the pool has stopped for ever, at any step. (Whether
 * the task has been run by then is another matter.)
 */
#include "sync/event.h"

#include "pool_setup.h"

#define PRODUCER	0u
#define STOPPER		1u
#define WORKER_THREAD	2u

static struct job jobs[2] = { JOB_INIT(job_run), JOB_INIT(job_run) };

/* Workers are threads 2 and 3. */
static void no_worker(void)
{
	pool_new(1, WORKER_THREAD);
}

static void no_worker_of_two(void)
{
	pool_new(2, WORKER_THREAD);
}

static void one_busy(void)
{
	no_worker();
	pool_add_worker(WORKER_THREAD);
}

static void one_parked(void)
{
	no_worker();
	pool_set_idle(pool_add_worker(WORKER_THREAD));
}

static void schedule(void *job)
{
	CHECK(job_schedule(job) == 0);
}

static void schedule_or_not(void *job)
{
	int err = job_schedule(job);

	CHECK(err == 0 || err == -ESHUTDOWN);
}

/* .finally: workers may sleep in the end; the producer does not. */
static void producer_is_through(void)
{
	CHECK(!check_waits(PRODUCER) && !check_waits(STOPPER));
	CHECK(jobs[0].runs <= 1 && jobs[1].runs <= 1);
}

#define PRODUCES { schedule, &jobs[0], "producer" }

/* ---- another producer stops */

CHECK_SCENARIO(stopped_pool_producer, .about = "schedule completes when another producer stops",
	.setup = one_busy, .may_stop = 1u << STOPPER,
	.threads = { PRODUCES, { schedule, &jobs[1], "stops" } });

/*
 * Whether the parked worker was woken. By design at most one worker is being woken at a time,
 * and the thread that wakes it may stop on the way. Then the producer relies on that thread and
 * returns, and no thread wakes the worker.
 */
static bool is_woken(void)
{
	return pool->records[0].event & EVENT_WORK;
}

static void woken_if_nobody_stops(void)
{
	CHECK(is_woken() || check_stopped(STOPPER));
}

static bool nobody_wakes(void)
{
	return !is_woken();
}

CHECK_SCENARIO(stopped_pool_producer_wakes,
	.about = "schedule completes when who is waking a worker stops; "
		 "by design that wake is late",
	.setup = one_parked, .finally = woken_if_nobody_stops, .may_stop = 1u << STOPPER,
	.exists = nobody_wakes, .allowed = CHECK_RC11,
	.threads = { PRODUCES, { schedule, &jobs[1], "stops" } });

CHECK_SCENARIO(stopped_pool_producer_sleeper, .about = "the same with that worker's thread",
	.setup = one_parked, .finally = producer_is_through, .may_stop = 1u << STOPPER,
	.may_block = true, .random = 5000,
	.threads = { PRODUCES, { schedule, &jobs[1], "stops" }, PARKED(0) });

/* Each producer may start a worker, and one start fails: the records are claimed and given back. */
CHECK_SCENARIO(stopped_pool_producer_spawns, .about = "the same with workers that are yet to start",
	.setup = no_worker_of_two, .finally = producer_is_through, .may_stop = 1u << STOPPER,
	.may_block = true, .random = 5000, .spawn_failures = 1,
	.threads = { PRODUCES, { schedule, &jobs[1], "stops" } });

/* ---- a worker stops */

CHECK_SCENARIO(stopped_pool_worker, .about = "schedule completes when a worker stops",
	.setup = one_busy, .finally = producer_is_through, .may_stop = 1u << WORKER_THREAD,
	.may_block = true,
	.threads = { PRODUCES, [WORKER_THREAD] = WORKER(0) });

CHECK_SCENARIO(stopped_pool_sleeper, .about = "the same with a worker that sleeps first",
	.setup = one_parked, .finally = producer_is_through, .may_stop = 1u << WORKER_THREAD,
	.may_block = true,
	.threads = { PRODUCES, [WORKER_THREAD] = PARKED(0) });

/* ---- a helper, or the thread that ends the pool, stops */

static void help(void *unused)
{
	(void)unused;
	nap_pool_help(pool, 1);
}

CHECK_SCENARIO(stopped_pool_helper, .about = "schedule completes when a helper stops",
	.setup = one_busy, .may_stop = 1u << STOPPER,
	.threads = { PRODUCES, { help, .name = "helper" } });

static void shut_down(void *unused)
{
	(void)unused;
	nap_pool_shutdown(pool, NAP_STOP);
}

CHECK_SCENARIO(stopped_pool_shutdown, .about = "schedule completes when who shuts down stops",
	.setup = one_busy, .may_stop = 1u << STOPPER,
	.threads = { { schedule_or_not, &jobs[0], "producer" }, { shut_down, .name = "stops" } });
