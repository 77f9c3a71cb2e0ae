/* SPDX-License-Identifier: MIT */
/*
 * Pools whose counters begin just before their last values: the fields of the idle protocol's word,
 * the indices of records and rings, the tag of the idle set, each worker's counts of rests, ticks
 * and statistics, and both halves of the count of guests. (For the rings the test is linked to a
 * src/thread/spawn.c of its own.) Each counter wraps or overflows while the pool is used. No task
 * is lost or run twice, and no pool counts as quiet too early.
 */
#include <errno.h>
#include <pthread.h>

#include "idle/set.h"
#include "fault/load.h"
#include "fault/report.h"
#include "idle_words.h"
#include "watchdog.h"
#include "wrap.h"

#define WORKERS 3u
#define STAT_START (UINT64_MAX - 10)
#define HELPERS_START ((uint64_t)(UINT32_MAX - 5) << 32)

static struct nap_pool pool;
static uint64_t rest_start = UINT64_MAX - 1;	/* even: the worker is not at rest */
static uint64_t parked_start = UINT64_MAX;
static uint64_t tag_start;	/* the pool's first tag */
static bool no_threads;

/*
 * Starts a worker whose counters begin at their edges. Other threads may already read the record.
 */
WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	if (no_threads)
		return -EAGAIN;
	worker->tick = UINT32_MAX;
	nap_store_relaxed(&worker->rest, rest_start);
	nap_store_relaxed(&worker->stats.run, STAT_START);
	nap_store_relaxed(&worker->stats.stolen, STAT_START);
	nap_store_relaxed(&worker->stats.overflowed, STAT_START);
	nap_store_relaxed(&worker->stats.parked, parked_start);
	return __real_nap__os_thread_start(worker, stack_size);
}

/* ---- everything at once, under load */

/* How many workers there were, and on how many of them each counter has passed its edge. */
static unsigned long lived, rings, rests, runs, parks, tags;

static void count_passed(struct nap_worker *worker, void *arg)
{
	(void)arg;
	nap_fetch_add_relaxed(&lived, 1);
	nap_fetch_add_relaxed(&rings, worker->ring.tail < UINT32_MAX / 2);
	nap_fetch_add_relaxed(&rests, worker->rest < UINT64_MAX / 2);
	nap_fetch_add_relaxed(&runs, worker->stats.run < UINT64_MAX / 2);
	nap_fetch_add_relaxed(&parks, worker->stats.parked < UINT64_MAX / 2);
	nap_fetch_add_relaxed(&tags, nap_load_relaxed(&worker->pool->idle_set) < tag_start);
}

/*
 * Begins a pool with phantoms. A phantom is a worker that exists only in the protocol's word, and
 * sleeps for ever: all workers except WORKERS are phantoms. A wake for a phantom finds no worker in
 * the idle set, like a wake for a worker that has not entered the set yet. The real workers have
 * the last records. Under a protocol whose set always has all idle workers (all_listed) there are
 * no phantoms.
 */
static void begin_at_edges(struct __test_metadata *_metadata, unsigned distance)
{
	struct nap_config config = {
		.max_workers = NAP_MAX_WORKERS, .worker_stop = count_passed,
	};
	uint32_t phantoms = NAP_MAX_WORKERS - WORKERS;

	if (idle_words(&pool)->all_listed) {
		config.max_workers = WORKERS;
		phantoms = 0;
	}

	rest_start = UINT64_MAX - 1 - 4 * distance;
	parked_start = UINT64_MAX - 2 * distance;
	tag_start = (~(uint64_t)0 << SET_INDEX_BITS) - 5 * distance * SET_TAG_ONE;
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	idle_words(&pool)->set(&pool, phantoms, phantoms);
	pool.nr_records = phantoms;
	pool.idle_set = tag_start;
	pool.guests = HELPERS_START;
	pool.helped = STAT_START;
	/*
	 * Phantoms count as workers and run no task, so the pool might start no worker for a task.
	 * This call starts the real ones.
	 */
	ASSERT_EQ(nap_pool_prewarm(&pool, NAP_MAX_WORKERS), 0);
	for (struct nap_worker *w = registry_first(&pool); w; w = w->next)
		while (nap_load_relaxed(&w->stats.parked) == parked_start)
			sched_yield();
}

TEST(every_shape_of_scheduling)
{
	unsigned long accepted = 0, ended = 0, helpers = 0;
	struct nap_pool_stats stats;

	watchdog(&pool, 0);
	for (int how = 0; how < LOAD_NR_ENDS; how++) {
		unsigned long before = lived;

		begin_at_edges(_metadata, (unsigned)how);
		load_prepare(&pool, nap_test_count(2000) + 100, (enum load_end)how);
		load_finish();
		nap_pool_get_stats(&pool, &stats);
		EXPECT_EQ(load.odd, 0);
		EXPECT_EQ(load.unfinished, 0);
		EXPECT_EQ(load.accepted, load.run + load.left);
		EXPECT_EQ(lived - before, WORKERS);
		EXPECT_EQ(stats.workers.run + stats.helped,
			  load.run + (lived - before + 1) * STAT_START);
		accepted += load.accepted;
		ended += load.run + load.left;
		helpers += pool.guests < HELPERS_START;
	}
	TH_LOG("%lu workers: %lu rings, %lu rests, %lu counts of tasks, %lu of parks passed their "
	       "edge; %lu saw the tag do so; and %lu counts of helpers", lived, rings, rests, runs,
	       parks, tags, helpers);
	EXPECT_GT(rings, 0);
	EXPECT_GT(rests, 0);
	EXPECT_GT(runs, 0);
	EXPECT_GT(parks, 0);
	EXPECT_GT(tags, 0);
	fault_report("counters that pass their edges",
		     rings + rests + runs + parks + tags + helpers, accepted, ended);
}

/* ---- the word of Sync with its count full */

static uint32_t spawned(void)
{
	return nap__idle_spawned(&pool);
}

/*
 * Counts all workers except one as phantoms that are busy: one worker may start, but no second one.
 * @fails: the first start fails.
 */
static void start_the_last(struct __test_metadata *_metadata, bool fails)
{
	uint32_t phantoms = NAP_MAX_WORKERS - 1;
	struct nap_config config = { .max_workers = NAP_MAX_WORKERS };
	struct blocker first = BLOCKER_INIT, second = BLOCKER_INIT;
	struct nap_pool_stats stats;

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	idle_words(&pool)->set(&pool, phantoms, 0);
	no_threads = fails;
	ASSERT_EQ(nap_schedule(&pool, &first.task), 0);
	if (fails) {
		EXPECT_EQ(spawned(), phantoms);
		EXPECT_EQ(nap_pool_prewarm(&pool, UINT32_MAX), -EAGAIN);
		EXPECT_EQ(spawned(), phantoms);
		no_threads = false;
		ASSERT_EQ(nap_pool_prewarm(&pool, UINT32_MAX), 0);
	}
	flag_wait(&first.running);
	ASSERT_EQ(nap_schedule(&pool, &second.task), 0);
	EXPECT_EQ(nap_pool_prewarm(&pool, UINT32_MAX), 0);
	EXPECT_EQ(spawned(), NAP_MAX_WORKERS);
	EXPECT_EQ(nap__idle_count(&pool), 0);
	EXPECT_EQ(await_workers(1), 1);
	flag_set(&first.let_go);
	flag_set(&second.let_go);
	while (nap__idle_count(&pool) == 0)
		sched_yield();
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.spawned, NAP_MAX_WORKERS);
	EXPECT_EQ(stats.idle, 1);
	EXPECT_EQ(nap_pool_quiesce_for(&pool, 0), -ETIMEDOUT);
	idle_words(&pool)->uncount(&pool, phantoms);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(the_last_worker_that_can_be_counted)
{
	watchdog(&pool, 0);
	start_the_last(_metadata, false);
	start_the_last(_metadata, true);
	fault_report("the last worker that can be counted", 2, 4, nr_run);
}

/* ---- whether a pool is quiet */

/*
 * Waits until @worker has parked again since its count was @before; returns the new count. A parked
 * worker changes nothing.
 */
static uint64_t await_parked(struct nap_worker *worker, uint64_t before)
{
	uint64_t parked;

	while ((parked = nap_load_relaxed(&worker->stats.parked)) == before)
		sched_yield();
	nap_load_acquire(&worker->rest);
	return parked;
}

TEST(a_worker_whose_rests_pass_the_edge)
{
	struct nap_config config = { .max_workers = 1 };
	struct blocker blocker = BLOCKER_INIT;
	struct nap_worker *worker;
	uint64_t parked;

	watchdog(&pool, 0);
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	parked_start = 0;
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	worker = registry_first(&pool);
	parked = await_parked(worker, 0);
	nap_store_relaxed(&worker->rest, UINT64_MAX);
	ASSERT_EQ(nap_schedule(&pool, &blocker.task), 0);
	flag_wait(&blocker.running);
	EXPECT_EQ(nap_load_relaxed(&worker->rest), 0);
	EXPECT_EQ(nap_pool_quiesce_for(&pool, 1000000), -ETIMEDOUT);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, 1);
	/*
	 * The worker has woken once, or twice if another thread was notified. Yields count as
	 * rests, too.
	 */
	EXPECT_LT(await_parked(worker, parked), parked + 3);
	EXPECT_EQ(nap_load_relaxed(&worker->rest) % 2, 1);
	EXPECT_LT(nap_load_relaxed(&worker->rest), 200);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	fault_report("rests that pass their edge", 1, 1, nr_run);
}

static void *help(void *unused)
{
	(void)unused;
	nap_pool_help(&pool, 0);
	return NULL;
}

/*
 * Lets pool->guests begin at @before, and helps. The count must be @there while the helper is in a
 * task, and @after at the end.
 */
static void help_at(struct __test_metadata *_metadata, uint64_t before, uint64_t there,
		    uint64_t after)
{
	struct blocker blocker = BLOCKER_INIT;
	pthread_t thread;

	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }), 0);
	pool.guests = before;
	ASSERT_EQ(nap_schedule(&pool, &blocker.task), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, help, NULL), 0);
	flag_wait(&blocker.running);
	EXPECT_EQ(nap_load_relaxed(&pool.guests), there);
	EXPECT_EQ(nap_pool_quiesce_for(&pool, 1000000), -ETIMEDOUT);
	flag_set(&blocker.let_go);
	pthread_join(thread, NULL);
	EXPECT_EQ(nap_load_relaxed(&pool.guests), after);
	EXPECT_EQ(nap_pool_quiesce_for(&pool, 0), (uint32_t)after ? -ETIMEDOUT : 0);
	nap_store_relaxed(&pool.guests, 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(helpers_at_the_edges_of_both_halves)
{
	uint64_t last = (uint64_t)UINT32_MAX << 32;

	watchdog(&pool, 0);
	no_threads = true;
	help_at(_metadata, last, 1, 0);
	/* The highest number of guests at a time: no carry changes the other half. */
	help_at(_metadata, UINT32_MAX - 1, (1ull << 32) + UINT32_MAX,
		(1ull << 32) + UINT32_MAX - 1);
	help_at(_metadata, last + UINT32_MAX - 1, UINT32_MAX, UINT32_MAX - 1);
	fault_report("helpers whose count passes its edge", 3, 3, nr_run);
}

/* ---- the order of injected tasks */

enum { NR_ORDERED = 2000 };
static struct nap_task ordered[NR_ORDERED];
static unsigned long out_of_order;

static void run_in_order(struct nap_task *task)
{
	out_of_order += task != &ordered[nr_run];
	nr_run++;
}

/*
 * The worker moves tasks into its ring, half a ring at a time. The second half passes the edge of
 * the indices; the third half is beyond the edge. When a tick serves the injection queue, the tasks
 * that are still in the ring are older, and have to run first.
 */
TEST(one_worker_runs_the_injected_in_their_order)
{
	struct nap_config config = { .max_workers = 1 };
	struct blocker blocker = BLOCKER_INIT;

	watchdog(&pool, 0);
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	ASSERT_EQ(nap_schedule(&pool, &blocker.task), 0);
	flag_wait(&blocker.running);
	for (int i = 0; i < NR_ORDERED; i++) {
		nap_task_init(&ordered[i], run_in_order);
		ASSERT_EQ(nap_schedule(&pool, &ordered[i]), 0);
	}
	nr_run = (unsigned long)-1;	/* -1, because the blocker counts as a run */
	flag_set(&blocker.let_go);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(out_of_order, 0);
	EXPECT_LT(registry_first(&pool)->ring.tail, UINT32_MAX / 2);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	fault_report("a ring whose indices pass their edge", 1, NR_ORDERED, nr_run);
}

TEST_HARNESS_MAIN
