/* SPDX-License-Identifier: MIT */
/* A worker_start that takes long, or that does what a task may do. Under each idle protocol. */
#include <errno.h>

#include "os/futex.h"
#include "pool_fixture.h"
#include "under.h"
#include "wrap.h"

#define WORKERS 4

static struct nap_pool pool;
static uint32_t starts, stops, in_start;

static void wait_for(uint32_t *word, uint32_t n)
{
	while (nap_load_acquire(word) < n)
		usleep(100);
}

FIXTURE_SETUP(under)
{
	self->idle = variant->idle;
}

static uint32_t ran;

static void run(struct nap_task *task)
{
	(void)task;
	nap_fetch_add_release(&ran, 1);
}

/* Takes long for all workers except the last one. */
static void start_slowly(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	if (nap_fetch_add_relaxed(&starts, 1) < WORKERS - 1)
		wait_for(&ran, 1);
}

static void count_stop(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	nap_fetch_add_relaxed(&stops, 1);
}

static void init(enum nap_idle idle, void (*start)(struct nap_worker *, void *), void *arg)
{
	struct nap_config config = {
		.max_workers = WORKERS, .idle = idle, .worker_start = start,
		.worker_stop = count_stop, .arg = arg,
	};

	if (nap_pool_init(&pool, &config))
		abort();
}

/* A worker waits with a timeout. The wait lasts until the test ends it. */
static uint32_t keep_waiting, waits, let_go;

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	if (!nap_load_relaxed(&keep_waiting) || !nap_worker_self() || deadline == UINT64_MAX)
		return __real_nap__futex_wait(word, expected, deadline);
	nap_fetch_add_release(&waits, 1);
	wait_for(&let_go, 1);
	return -ETIMEDOUT;
}

static void start_when_let(struct nap_worker *worker, void *arg)
{
	(void)worker;
	nap_fetch_add_release(&starts, 1);
	wait_for(arg, 1);
	nap_fetch_add_relaxed(&in_start, 1);
}

/*
 * The first worker starts the second one before it begins the task. The second worker waits for
 * some time before it starts a third one. Otherwise a single task would start all workers of the
 * pool, because each new worker would start the next.
 */
TEST_F(under, who_is_started_by_one_that_begins_waits_before_it_starts_another)
{
	struct nap_task task = NAP_TASK_INIT(run);
	struct nap_pool_stats stats;
	uint32_t go_on = 0;

	init(self->idle, start_when_let, &go_on);
	nap_store_relaxed(&keep_waiting, 1);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	wait_for(&waits, 1);
	wait_for(&starts, 1);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.spawned, 2);
	nap_store_release(&go_on, 1);
	wait_for(&ran, 1);
	nap_store_release(&let_go, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(starts, 2);
	EXPECT_EQ(stops, 2);
}

TEST_F(under, slow_starts_hold_up_no_other)
{
	struct nap_task task = NAP_TASK_INIT(run);

	init(self->idle, start_slowly, NULL);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	wait_for(&ran, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(starts, WORKERS);
	EXPECT_EQ(stops, starts);
	EXPECT_EQ(pool.starting, 0);
}

/*
 * While a worker for a task is started slowly, another worker goes to sleep. The sleeping worker
 * must be woken for this task.
 */
static void hold(struct nap_task *task)
{
	run(task);
	wait_for(&in_start, 1);
}

static void start_second_slowly(struct nap_worker *worker, void *arg)
{
	(void)arg;
	if (nap_worker_index(worker)) {
		nap_store_release(&in_start, 1);
		wait_for(&ran, 2);
	}
}

TEST_F(under, a_slow_start_leaves_the_work_to_who_is_there)
{
	struct nap_task first = NAP_TASK_INIT(hold), second = NAP_TASK_INIT(run);

	init(self->idle, start_second_slowly, NULL);
	ASSERT_EQ(nap_schedule(&pool, &first), 0);
	wait_for(&ran, 1);
	ASSERT_EQ(nap_schedule(&pool, &second), 0);
	wait_for(&ran, 2);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void start_and_schedule(struct nap_worker *worker, void *task)
{
	if (nap_worker_index(worker) == 0 && nap_schedule(&pool, task))
		abort();
}

TEST_F(under, a_start_may_schedule)
{
	struct nap_task task = NAP_TASK_INIT(run);

	init(self->idle, start_and_schedule, &task);
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	wait_for(&ran, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* The pool is not quiet, because two workers are beginning. */
TEST_F(under, a_pool_in_which_a_worker_begins_is_not_quiet)
{
	struct nap_pool_stats stats;
	uint32_t go_on = 0;

	init(self->idle, start_when_let, &go_on);
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	wait_for(&starts, 2);
	EXPECT_EQ(nap_pool_quiesce_for(&pool, 1000000), -ETIMEDOUT);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.spawned, 2);
	EXPECT_EQ(stats.idle, 0);
	nap_store_release(&go_on, 1);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(in_start, 2);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_F(under, a_pool_that_is_stopped_meanwhile_stops_who_has_begun)
{
	struct nap_task task = NAP_TASK_INIT(run);
	struct nap_batch left;
	uint32_t go_on = 0;

	init(self->idle, start_when_let, &go_on);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	wait_for(&starts, 1);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	nap_store_release(&go_on, 1);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(left.count, 1);
	EXPECT_EQ(in_start, starts);
	EXPECT_EQ(stops, starts);
}

TEST_HARNESS_MAIN
