/* SPDX-License-Identifier: MIT */
/* Scheduling on a whole pool: which thread runs which task, in which order, on how many threads. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "idle_words.h"
#include "pool_fixture.h"
#include "queue/ring.h"
#include "watchdog.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static struct nap_pool one = NAP_POOL_INIT(.max_workers = 1);

TEST(a_pool_that_is_only_declared_has_no_thread)
{
	struct nap_batch empty = NAP_BATCH_INIT;

	EXPECT_EQ(count_workers(), 0);
	EXPECT_EQ(nap_schedule_batch(&pool, &empty), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_pool_help(&pool, 0), 0);
	EXPECT_EQ(count_workers(), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(count_workers(), 0);
}

TEST(bad_arguments_are_named)
{
	struct nap_config config = { .max_workers = NAP_MAX_WORKERS + 1 };
	struct nap_pool_stats stats;
	struct nap_worker_stats worker_stats;

	EXPECT_EQ(nap_pool_init(NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_pool_init((struct nap_pool *)((char *)&pool + 8), NULL), -EINVAL);
	EXPECT_EQ(nap_pool_init(&pool, &config), -EINVAL);
	config.max_workers = NAP_MAX_WORKERS;
	EXPECT_EQ(nap_pool_init(&pool, &config), 0);
	config.stack_size = 4096;
	EXPECT_EQ(nap_pool_init(&pool, &config), -EINVAL);
	EXPECT_EQ(nap_pool_init(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_get_stats(NULL, &stats), -EINVAL);
	EXPECT_EQ(nap_pool_get_stats(&pool, NULL), -EINVAL);
	EXPECT_EQ(nap_worker_get_stats(NULL, 0, &worker_stats), -EINVAL);
	EXPECT_EQ(nap_worker_get_stats(&pool, 0, NULL), -EINVAL);
	EXPECT_EQ(nap_worker_get_stats(&pool, 0, &worker_stats), -ENOENT);
	EXPECT_EQ(nap_pool_shutdown(&pool, (enum nap_shutdown)0), -EINVAL);
	EXPECT_EQ(nap_pool_shutdown(&pool, (enum nap_shutdown)3), -EINVAL);
}

/* A static initialiser cannot refuse a limit, so a limit that the idle word cannot count is cut. */
TEST(a_static_limit_is_cut_to_what_can_be_counted)
{
	static struct nap_pool greedy = NAP_POOL_INIT(.max_workers = UINT32_MAX);
	struct nap_task task = NAP_TASK_INIT(count_run);
	struct nap_pool_stats stats;

	EXPECT_EQ(nap_schedule(&greedy, &task), 0);
	nap_pool_get_stats(&greedy, &stats);
	EXPECT_EQ(stats.max_workers, NAP_MAX_WORKERS);
	EXPECT_EQ(nap_pool_join(&greedy, NULL), 0);
	EXPECT_EQ(nr_run, 1);
}

TEST(batches_are_joined_in_order)
{
	struct nap_batch a = NAP_BATCH_INIT, b = NAP_BATCH_INIT, none = NAP_BATCH_INIT;
	struct nap_task tasks[6];

	for (int i = 0; i < 6; i++) {
		nap_task_init(&tasks[i], count_run);
		nap_batch_push(i < 3 ? &a : &b, &tasks[i]);
	}
	nap_batch_concat(&a, &none);
	EXPECT_EQ(a.count, 3);
	nap_batch_concat(&a, &b);
	EXPECT_EQ(a.count, 6);
	EXPECT_EQ(b.count, 0);
	EXPECT_EQ(b.head, NULL);
	nap_batch_concat(&none, &a);
	EXPECT_EQ(none.count, 6);
	for (int i = 0; i < 6; i++) {
		EXPECT_EQ(nap_batch_pop(&none), &tasks[i]);
	}
	EXPECT_EQ(nap_batch_pop(&none), NULL);
	EXPECT_EQ(none.count, 0);
}

TEST(every_task_runs_once)
{
	unsigned long n = nap_test_count(200000);
	struct nap_pool_stats stats;
	struct nap_batch batch;

	for (unsigned long i = 0; i < n; i++)
		ASSERT_EQ(nap_schedule(&pool, new_task(count_and_free)), 0);
	batch = new_batch(n, count_and_free);
	ASSERT_EQ(nap_schedule_batch(&pool, &batch), 0);
	EXPECT_EQ(batch.head, NULL);
	EXPECT_EQ(batch.count, 0);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, 2 * n);
	ASSERT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(stats.workers.run + stats.helped, 2 * n);
	EXPECT_EQ(stats.max_workers, 2);
	EXPECT_LE(stats.spawned, 2);
	EXPECT_LE(listed_workers(), 2);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(count_workers(), 0);
	ASSERT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(stats.workers.run + stats.helped, 2 * n);
	EXPECT_EQ(stats.spawned, 0);
}

/* Several pools, threads that are no workers, and workers of one pool that schedule on another. */
static void schedule_on_one(struct nap_task *task)
{
	free(task);
	for (int i = 0; i < 10; i++)
		if (nap_schedule(&one, new_task(count_and_free)))
			abort();
}

static void *schedule_many(void *arg)
{
	unsigned long n = *(unsigned long *)arg;

	while (n--)
		if (nap_schedule(&pool, new_task(schedule_on_one)))
			abort();
	return NULL;
}

TEST(pools_feed_each_other_from_many_threads)
{
	unsigned long n = nap_test_count(10000);
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, schedule_many, &n);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_EQ(nr_run, 40 * n);
}

/*
 * Several threads use a new pool for the first time at once: one of them determines its size, and
 * one maps its memory.
 */
static uint32_t off;

static void *use_first(void *arg)
{
	struct nap_pool *fresh = *(struct nap_pool **)arg;

	nap_fetch_add_relaxed(&off, 1);
	while (nap_load_relaxed(&off) < 4)
		sched_yield();
	if (nap_pool_prewarm(fresh, 3) || nap_schedule(fresh, new_task(count_and_free)))
		abort();
	return NULL;
}

TEST(first_uses_race)
{
	unsigned long rounds = nap_test_count(1000);
	struct nap_pool *fresh = &pool;

	for (unsigned long i = 0; nap_test_again(i, rounds); i++) {
		pthread_t threads[3];

		nr_run = off = 0;
		ASSERT_EQ(nap_pool_init(fresh, &(struct nap_config){ .max_workers = 3 }), 0);
		for (int t = 0; t < 3; t++)
			pthread_create(&threads[t], NULL, use_first, &fresh);
		use_first(&fresh);
		for (int t = 0; t < 3; t++)
			pthread_join(threads[t], NULL);
		ASSERT_EQ(nap_pool_join(fresh, NULL), 0);
		ASSERT_EQ(nr_run, 4);
	}
}

/*
 * Injection is FIFO: a task that is scheduled earlier from outside runs earlier, also when a worker
 * takes several tasks at once.
 */
struct numbered {
	struct nap_task task;
	unsigned number;
};

static unsigned next_number, overtaken;

static void run_numbered(struct nap_task *task)
{
	struct numbered *n = nap_container_of(task, struct numbered, task);

	overtaken += n->number != next_number++;
}

TEST(injected_tasks_run_in_order)
{
	enum { N = 2000 };
	static struct numbered tasks[N];
	struct blocker blocker = BLOCKER_INIT;
	unsigned i = 0;

	ASSERT_EQ(nap_schedule(&one, &blocker.task), 0);
	flag_wait(&blocker.running);
	while (i < N) {
		struct nap_batch batch = NAP_BATCH_INIT;

		for (unsigned n = 1 + i % 5; n && i < N; n--, i++) {
			tasks[i].number = i;
			nap_task_init(&tasks[i].task, run_numbered);
			nap_batch_push(&batch, &tasks[i].task);
		}
		ASSERT_EQ(nap_schedule_batch(&one, &batch), 0);
	}
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_EQ(next_number, N);
	EXPECT_EQ(overtaken, 0);
}

/*
 * The younger task counts itself only if the older one has begun. In LIFO order it would run first.
 */
static struct blocker older = BLOCKER_INIT;

static void wait_for_older(struct nap_task *task)
{
	(void)task;
	if (nap_load_acquire(&older.running))
		nap_fetch_add_relaxed(&nr_run, 1);
}

TEST(an_older_task_is_never_behind_a_younger)
{
	struct nap_task younger = NAP_TASK_INIT(wait_for_older);
	struct blocker first = BLOCKER_INIT;

	nap_schedule(&one, &first.task);
	flag_wait(&first.running);
	older.let_go = 1;
	nap_schedule(&one, &older.task);
	nap_schedule(&one, &younger);
	flag_set(&first.let_go);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_EQ(nr_run, 3);
}

/* ---- starvation ---- */

/* A task that starves other tasks gives up after this number of dequeues, so that the test ends. */
#define GIVE_UP 200000

static unsigned long dequeues, dequeues_at_injection, waited;
static uint32_t injected, wants_injection, stop_it;

static void reschedule_for_ever(struct nap_task *task)
{
	dequeues++;
	if (dequeues == 1000) {
		flag_set(&wants_injection);
		flag_wait(&injected);
		dequeues_at_injection = dequeues;
	}
	if (nap_load_acquire(&stop_it) || dequeues == 1000 + GIVE_UP)
		return;
	if (nap_schedule(&one, task))
		abort();
}

static void end_it(struct nap_task *task)
{
	(void)task;
	waited = dequeues - dequeues_at_injection;
	flag_set(&stop_it);
}

TEST(a_self_rescheduling_task_does_not_starve_what_is_injected)
{
	struct nap_task forever = NAP_TASK_INIT(reschedule_for_ever);
	struct nap_task end = NAP_TASK_INIT(end_it);

	nap_schedule(&one, &forever);
	flag_wait(&wants_injection);
	nap_schedule(&one, &end);
	flag_set(&injected);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_LE(waited, 61);
	TH_LOG("run %lu dequeues after it was injected (bound: 61)", waited);
}

/*
 * Starvation of the overflow: when many tasks are scheduled at once, those that have overflowed
 * run, too.
 */
enum { FLOOD = NAP_RING_SIZE + NAP_RING_SIZE / 2 + 1 };
static struct nap_task forevers[4], flood[FLOOD];
static unsigned long flooded, turns;

static void reschedule_until_flooded(struct nap_task *task)
{
	if (flooded < FLOOD && turns++ < GIVE_UP && nap_schedule(&one, task))
		abort();
}

static void count_flood(struct nap_task *task)
{
	(void)task;
	flooded++;
}

static void start_flood(struct nap_task *task)
{
	(void)task;
	for (int i = 0; i < FLOOD; i++) {
		nap_task_init(&flood[i], count_flood);
		nap_schedule(&one, &flood[i]);
	}
	for (int i = 0; i < 4; i++) {
		nap_task_init(&forevers[i], reschedule_until_flooded);
		nap_schedule(&one, &forevers[i]);
	}
}

TEST(self_rescheduling_tasks_do_not_starve_the_overflow)
{
	struct nap_task start = NAP_TASK_INIT(start_flood);
	struct nap_pool_stats stats;

	nap_schedule(&one, &start);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_EQ(flooded, FLOOD);
	EXPECT_LT(turns, GIVE_UP);
	nap_pool_get_stats(&one, &stats);
	EXPECT_GT(stats.workers.overflowed, 0);
}

/* ---- work conservation, seen from outside ---- */

/*
 * The task schedules a child into its worker's own ring, and goes on when another worker has run
 * the child. This other worker has gone idle before, and no notification is out, so it finds the
 * child only if it is notified.
 */
static void push_and_wait_for_others(struct nap_task *task)
{
	struct blocker child = BLOCKER_INIT;
	struct nap_pool_stats stats;

	(void)task;
	do {
		nap_pool_get_stats(&pool, &stats);
	} while (stats.idle != 1 || !stats.workers.parked ||
		 !idle_words(&pool)->nobody_called(&pool));
	child.let_go = 1;
	if (nap_schedule(&pool, &child.task))
		abort();
	flag_wait(&child.running);
	/* The child still has to count itself, and lies on this stack. */
	while (nap_load_acquire(&nr_run) == 0)
		sched_yield();
}

TEST(a_local_push_wakes_another_worker)
{
	struct nap_task task = NAP_TASK_INIT(push_and_wait_for_others);

	watchdog(&pool, 0);
	EXPECT_EQ(nap_pool_prewarm(&pool, 2), 0);
	nap_schedule(&pool, &task);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 1);
}

TEST(prewarm_starts_what_it_is_told_and_no_more)
{
	struct nap_pool_stats stats;

	EXPECT_EQ(nap_pool_prewarm(&pool, 1), 0);
	EXPECT_EQ(await_workers(1), 1);
	EXPECT_EQ(nap_pool_prewarm(&pool, 1), 0);
	EXPECT_EQ(await_workers(1), 1);
	EXPECT_EQ(nap_pool_prewarm(&pool, 100), 0);
	EXPECT_EQ(await_workers(2), 2);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.spawned, 2);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_prewarm(&pool, 1), -ESHUTDOWN);
}

/* ---- the attributes of a worker ---- */

static struct {
	char name[16];
	sigset_t mask;
	size_t stack;
	struct nap_worker *worker;
	int started, stopped;
} seen;

static void look_around(struct nap_task *task)
{
	pthread_attr_t attr;
	void *stack;

	(void)task;
	seen.worker = nap_worker_self();
	pthread_sigmask(SIG_SETMASK, NULL, &seen.mask);
	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &stack, &seen.stack);
	pthread_attr_destroy(&attr);
	pthread_getname_np(pthread_self(), seen.name, sizeof(seen.name));
	if (nap_worker_pool(seen.worker) != &pool || nap_worker_index(seen.worker) != 0)
		abort();
}

static void on_start(struct nap_worker *worker, void *arg)
{
	(void)arg;
	seen.started += worker == nap_worker_self();
}

static void on_stop(struct nap_worker *worker, void *arg)
{
	(void)arg;
	seen.stopped += worker == nap_worker_self();
}

TEST(workers_are_named_deaf_to_signals_and_as_configured)
{
	struct nap_config config = {
		.max_workers = 1, .name = "verylongpoolname", .stack_size = 1 << 20,
		.worker_start = on_start, .worker_stop = on_stop,
	};
	struct nap_task task = NAP_TASK_INIT(look_around);

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	nap_schedule(&pool, &task);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_STREQ(seen.name, "verylongpoolnam");
	EXPECT_EQ(sigismember(&seen.mask, SIGINT), 1);
	EXPECT_EQ(sigismember(&seen.mask, SIGTERM), 1);
	EXPECT_GE(seen.stack, 1 << 20);
	EXPECT_LT(seen.stack, 2 << 20);
	EXPECT_NE(seen.worker, NULL);
	EXPECT_EQ(nap_worker_self(), NULL);
	EXPECT_EQ(seen.started, 1);
	EXPECT_EQ(seen.stopped, 1);
}

TEST_HARNESS_MAIN
