/* SPDX-License-Identifier: MIT */
/*
 * The end of a pool is held up by a visitor: a thread helps inside the pool when all workers have
 * been joined, and no other thread is let in. And what becomes of the counters in the end.
 */
#include <errno.h>
#include <pthread.h>

#include "os/os.h"
#include "sync/gate.h"
#include "worker/phase.h"
#include "worker/worker.h"
#include "pool_fixture.h"
#include "watchdog.h"
#include "wrap.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);

/* ---- starts are refused or held up; threads and their records are counted */

static bool refuse_starts;
static uint32_t starting, go_on, unmapped_under_a_thread;
static unsigned long nr_started, nr_joined;
static struct nap_worker *records;

WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	int err;

	if (refuse_starts)
		return -EAGAIN;
	nap_store_relaxed(&records, worker);
	flag_set(&starting);
	flag_wait(&go_on);
	err = __real_nap__os_thread_start(worker, stack_size);
	if (!err)
		nap_fetch_add_relaxed(&nr_started, 1);
	return err;
}

WRAP(int, nap__os_thread_join, (struct nap_worker *worker, uint64_t deadline))
{
	int err = __real_nap__os_thread_join(worker, deadline);

	if (!err)
		nap_fetch_add_relaxed(&nr_joined, 1);
	return err;
}

/*
 * Keeps the workers' records mapped until every thread that was started is joined, and notes that
 * the library wanted to unmap them.
 */
WRAP(void, nap__os_unmap, (void *mem, size_t size))
{
	if (mem == nap_load_relaxed(&records) &&
	    nap_load_relaxed(&nr_started) != nap_load_relaxed(&nr_joined))
		flag_set(&unmapped_under_a_thread);
	else
		__real_nap__os_unmap(mem, size);
}

/* ---- the visitor and the joiner */

static void *help_once(void *result)
{
	*(long *)result = nap_pool_help(&pool, 1);
	return NULL;
}

static struct nap_batch left;

static void *join_pool(void *result)
{
	*(int *)result = nap_pool_join(&pool, &left);
	return NULL;
}

static bool visits_closed(void)
{
	return gate_is_closed(&pool.visits);
}

/*
 * A helper runs one of two tasks, notifies for the task that is left, and starts a worker for it.
 * During this start the pool is stopped, and the joiner looks for threads for the first time.
 */
TEST(join_waits_for_the_worker_that_a_visitor_is_starting)
{
	struct nap_batch batch = new_batch(2, count_and_free);
	pthread_t helper, joiner;
	long helped = -1;
	int err = -1;

	watchdog(&pool, 0);
	refuse_starts = true;
	ASSERT_EQ(nap_schedule_batch(&pool, &batch), 0);
	refuse_starts = false;
	pthread_create(&helper, NULL, help_once, &helped);
	flag_wait(&starting);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	pthread_create(&joiner, NULL, join_pool, &err);
	while (!visits_closed())
		sched_yield();
	EXPECT_EQ(nr_joined, 0);
	flag_set(&go_on);
	pthread_join(helper, NULL);
	pthread_join(joiner, NULL);
	EXPECT_EQ(err, 0);
	EXPECT_EQ(nr_started, 1);
	EXPECT_EQ(nr_joined, 1);
	EXPECT_FALSE(unmapped_under_a_thread);
	EXPECT_EQ(count_workers(), 0);
	EXPECT_EQ(helped, 1);
	EXPECT_EQ(nr_run, 1);
	EXPECT_EQ(free_batch(&left), 1);
}

/* Reads the counters into @stats; returns whether no counter has become less. */
static bool none_less(struct nap_pool_stats *stats)
{
	struct nap_pool_stats now;
	bool ok;

	nap_pool_get_stats(&pool, &now);
	ok = now.workers.run >= stats->workers.run && now.workers.stolen >= stats->workers.stolen &&
	     now.workers.overflowed >= stats->workers.overflowed &&
	     now.workers.parked >= stats->workers.parked &&
	     now.workers.woken_idle >= stats->workers.woken_idle && now.helped >= stats->helped;
	*stats = now;
	return ok;
}

TEST(no_counter_runs_backwards_while_a_pool_ends)
{
	struct blocker busy = BLOCKER_INIT, helped_task = BLOCKER_INIT;
	struct nap_batch batch = new_batch(10, count_and_free);
	struct nap_pool_stats stats = { 0 };
	pthread_t helper, joiner;
	long helped = -1;
	int err = -1;

	watchdog(&pool, 0);
	flag_set(&go_on);
	nap_schedule_batch(&pool, &batch);
	nap_pool_quiesce(&pool);
	/* A worker counts as idle a little before it sleeps. */
	while (!stats.workers.parked)
		ASSERT_TRUE(none_less(&stats));
	nap_schedule(&pool, &busy.task);
	flag_wait(&busy.running);
	nap_schedule(&pool, &helped_task.task);
	pthread_create(&helper, NULL, help_once, &helped);
	flag_wait(&helped_task.running);
	ASSERT_TRUE(none_less(&stats));
	EXPECT_EQ(stats.workers.run, 11);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	pthread_create(&joiner, NULL, join_pool, &err);
	flag_set(&busy.let_go);
	while (!visits_closed())
		ASSERT_TRUE(none_less(&stats));
	/* From now on readers are refused, and the joiner waits for the helper. */
	EXPECT_TRUE(none_less(&stats));
	EXPECT_EQ(stats.workers.run, 11);
	flag_set(&helped_task.let_go);
	while (nap_load_relaxed(&pool.phase) != PHASE_JOINED_STOP)
		ASSERT_TRUE(none_less(&stats));
	pthread_join(helper, NULL);
	pthread_join(joiner, NULL);
	EXPECT_TRUE(none_less(&stats));
	EXPECT_EQ(stats.workers.run, 11);
	EXPECT_EQ(stats.helped, 1);
	EXPECT_EQ(err, 0);
	EXPECT_EQ(helped, 1);
	EXPECT_EQ(nr_run, 12);
	EXPECT_EQ(left.count, 0);
}

/* ---- each counter is kept */

#define COUNTERS	(sizeof(struct nap_worker_stats) / sizeof(uint64_t))

/* More than what the pool itself adds to a counter of this test. */
#define UNIT		1000000u

/* Gives each counter of the worker a value of its own. */
static void number_counters(struct nap_task *task)
{
	uint64_t *counters = (uint64_t *)&nap_worker_self()->stats;

	for (uint32_t i = 0; i < COUNTERS; i++)
		nap_store_relaxed(&counters[i], (i + 1) * UNIT);
	count_run(task);
}

static uint32_t count_wrong(const struct nap_worker_stats *stats)
{
	uint64_t counters[COUNTERS];
	uint32_t wrong = 0;

	memcpy(counters, stats, sizeof(counters));
	for (uint32_t i = 0; i < COUNTERS; i++)
		wrong += counters[i] / UNIT != i + 1;
	return wrong;
}

TEST(each_counter_of_a_worker_is_the_pools_before_and_after_the_join)
{
	struct nap_task task = NAP_TASK_INIT(number_counters);
	struct nap_worker_stats one, none = { 0 };
	struct nap_pool_stats stats;

	watchdog(&pool, 0);
	flag_set(&go_on);
	memset(&one, 0xff, sizeof(one));
	EXPECT_EQ(nap_worker_get_stats(&pool, 0, &one), -ENOENT);
	EXPECT_EQ(memcmp(&one, &none, sizeof(one)), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	while (!nap_load_acquire(&nr_run))	/* on the worker: no other thread helps */
		sched_yield();
	memset(&one, 0xff, sizeof(one));
	ASSERT_EQ(nap_worker_get_stats(&pool, 0, &one), 0);
	EXPECT_EQ(count_wrong(&one), 0);
	ASSERT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(count_wrong(&stats.workers), 0);
	EXPECT_EQ(stats.most_queued, stats.workers.most_queued);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	ASSERT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(count_wrong(&stats.workers), 0);
	EXPECT_EQ(stats.most_queued, stats.workers.most_queued);
}

TEST_HARNESS_MAIN
