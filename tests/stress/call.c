/* SPDX-License-Identifier: MIT */
/*
 * Calls from eight threads at once, short and long, beside tasks that fork and tasks that do not;
 * with pauses in which all threads sleep. Nothing is lost, no call hangs, and every result is
 * right, under each idle protocol. Pools also end in the middle of calls.
 */
#include "call_fixture.h"

enum { THREADS = 8 };

static unsigned long rounds;
static unsigned long nr_calls, nr_refused, nr_canceled, nr_wrong;

static void fork_some(struct nap_worker *worker, void *arg)
{
	unsigned long n = *(unsigned long *)arg % 16;
	struct nap_task *task = new_task(count_and_free);

	static const long fibs[] = { 0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610 };

	if (nap_schedule(&pool, task))
		free(task);
	if (fib(worker, nap_top(worker), (long)n) != fibs[n])
		nap_fetch_add_relaxed(&nr_wrong, 1);
	nap_fetch_add_relaxed(&nr_calls, 1);
}

/* Forks if a worker runs this task; makes a call if a helper does. */
static void task_that_forks(struct nap_task *task)
{
	unsigned long n = 9;

	free(task);
	if (nap_worker_self())
		fork_some(nap_worker_self(), &n);
	else
		nap_call(&pool, fork_some, &n);
}

static void note(int err)
{
	if (err == -ESHUTDOWN)
		nap_fetch_add_relaxed(&nr_refused, 1);
	else if (err == -ECANCELED)
		nap_fetch_add_relaxed(&nr_canceled, 1);
	else if (err)
		abort();
}

static void *call_on_and_on(void *seed)
{
	unsigned long x = (uintptr_t)seed * 0x9e3779b97f4a7c15u;

	for (unsigned long i = 0; i < rounds; i++) {
		struct nap_task *task;
		unsigned long n;

		x = x * 6364136223846793005u + 1442695040888963407u;
		n = x >> 60;
		note(nap_call(&pool, fork_some, &n));
		if (x >> 40 & 1) {
			task = new_task(task_that_forks);
			if (nap_schedule(&pool, task))
				free(task);
		}
		if ((x >> 50 & 31) == 0)
			usleep(300);
		if ((x >> 44 & 31) == 0)
			nap_pool_help(&pool, 3);
	}
	return NULL;
}

static void start_threads(pthread_t *threads)
{
	for (uintptr_t t = 0; t < THREADS; t++)
		if (pthread_create(&threads[t], NULL, call_on_and_on, (void *)(t + 1)))
			abort();
}

TEST_F(under, many_calls_at_once)
{
	pthread_t threads[THREADS];

	rounds = nap_test_count(4000);
	begin_pool(&pool, self->idle, 3);
	start_threads(threads);
	for (int i = 0; i < 20; i++)
		ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_wrong, 0);
	EXPECT_EQ(nr_refused + nr_canceled, 0);
	EXPECT_GE(nr_calls, THREADS * rounds);
	EXPECT_EQ(nr_run, nr_calls);
	EXPECT_EQ(nap__idle_count(&pool), nap__idle_spawned(&pool));
	EXPECT_EQ(guests_inside(&pool), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * Makes one call. The test has twice as many such threads as there are guest records, and pools
 * with and without workers.
 */
static void *call_once(void *arg)
{
	unsigned long n = 12;

	note(nap_call(&pool, fork_some, &n));
	nap_fetch_add_release((uint32_t *)arg, 1);
	return NULL;
}

TEST_F(under, pools_end_amid_calls)
{
	enum { CROWD = 2 * NAP_GUESTS };
	unsigned long lives = nap_test_count(60) + 2;
	unsigned long called = 0, left_behind = 0;

	for (unsigned long life = 0; life < lives; life++) {
		struct nap_batch left = NAP_BATCH_INIT;
		pthread_t threads[CROWD];
		uint32_t done = 0;

		begin_pool(&pool, self->idle, 1 + life % 3);
		for (int t = 0; t < CROWD; t++)
			ASSERT_EQ(pthread_create(&threads[t], NULL, call_once, &done), 0);
		while (nap_load_acquire(&done) < life % CROWD)
			sched_yield();
		ASSERT_EQ(nap_pool_shutdown(&pool, life % 2 ? NAP_DRAIN : NAP_STOP), 0);
		/*
		 * In a debug build a call after the join aborts, so the threads end before the
		 * join.
		 */
#ifndef NAP_DEBUG
		ASSERT_EQ(nap_pool_join(&pool, &left), 0);
#endif
		for (int t = 0; t < CROWD; t++)
			pthread_join(threads[t], NULL);
#ifdef NAP_DEBUG
		ASSERT_EQ(nap_pool_join(&pool, &left), 0);
#endif
		left_behind += free_batch(&left);
		called += CROWD;
	}
	EXPECT_EQ(nr_wrong, 0);
	EXPECT_EQ(nr_calls + nr_refused + nr_canceled, called);
	/* Tasks that a stop has refused are in neither count. */
	EXPECT_LE(nr_run + left_behind, nr_calls);
	TH_LOG("%lu calls: %lu made, %lu refused, %lu canceled", called, nr_calls, nr_refused,
	       nr_canceled);
}

TEST_HARNESS_MAIN
