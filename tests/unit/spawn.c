/* SPDX-License-Identifier: MIT */
/* Workers that cannot be started: the first, the second, all of them; for some time or for ever. */
#include <errno.h>
#include <pthread.h>

#include "os/os.h"
#include "sync/event.h"
#include "worker/registry.h"
#include "pool_fixture.h"
#include "watchdog.h"
#include "wrap.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);

/* The starts from number @fail_from to @fail_to fail, counted from 1. */
static uint32_t starts, fail_from = 1, fail_to = UINT32_MAX;

WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	uint32_t number = nap_fetch_add_relaxed(&starts, 1) + 1;

	if (number >= nap_load_relaxed(&fail_from) && number <= nap_load_relaxed(&fail_to))
		return -EAGAIN;
	return __real_nap__os_thread_start(worker, stack_size);
}

static uint32_t told;
static int told_err;

static void on_spawn_failed(struct nap_pool *which, int err, void *arg)
{
	told_err = which == arg ? err : -1;
	nap_fetch_add_relaxed(&told, 1);
}

TEST(a_failed_first_start_is_reported_and_tried_again)
{
	struct nap_config config = { .max_workers = 2, .spawn_failed = on_spawn_failed,
				     .arg = &pool };
	struct nap_task tasks[3] = {
		NAP_TASK_INIT(count_run), NAP_TASK_INIT(count_run), NAP_TASK_INIT(count_run) };
	struct nap_pool_stats stats;

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	watchdog(&pool, 0);
	fail_to = 2;
	EXPECT_EQ(nap_schedule(&pool, &tasks[0]), 0);
	EXPECT_EQ(nap_schedule(&pool, &tasks[1]), 0);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.spawn_failures, 2);
	EXPECT_EQ(stats.spawn_last_errno, EAGAIN);
	EXPECT_EQ(stats.spawned, 0);
	EXPECT_EQ(told, 2);
	EXPECT_EQ(told_err, EAGAIN);
	EXPECT_EQ(nr_run, 0);
	/* The next schedule gets a worker, which runs all three tasks although no thread waits. */
	EXPECT_EQ(nap_schedule(&pool, &tasks[2]), 0);
	while (nap_load_relaxed(&nr_run) < 3)
		sched_yield();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	/* No thread waits for a start any longer. */
	EXPECT_EQ(pool.spawn_retry, 0);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.workers.run, 3);
	EXPECT_EQ(stats.helped, 0);
}

static void schedule_two(struct nap_task *task)
{
	for (int i = 0; i < 2; i++)
		if (nap_schedule(&pool, new_task(count_and_free)))
			abort();
	count_and_free(task);
}

TEST(with_no_worker_quiesce_runs_the_tasks)
{
	struct nap_pool_stats stats;

	watchdog(&pool, 0);
	for (int i = 0; i < 100; i++)
		ASSERT_EQ(nap_schedule(&pool, new_task(schedule_two)), 0);
	EXPECT_EQ(nr_run, 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, 300);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.helped, 300);
	EXPECT_EQ(stats.spawned, 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(with_no_worker_join_runs_the_tasks)
{
	watchdog(&pool, 0);
	for (int i = 0; i < 100; i++)
		nap_schedule(&pool, new_task(schedule_two));
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 300);
}

TEST(with_no_worker_a_drain_runs_the_tasks)
{
	for (int i = 0; i < 100; i++)
		nap_schedule(&pool, new_task(schedule_two));
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 300);
}

TEST(with_no_worker_a_stop_returns_the_tasks)
{
	struct nap_batch left;

	for (int i = 0; i < 100; i++)
		nap_schedule(&pool, new_task(schedule_two));
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(nr_run, 0);
	EXPECT_EQ(free_batch(&left), 100);
}

TEST(with_no_worker_help_runs_the_tasks)
{
	for (int i = 0; i < 10; i++)
		nap_schedule(&pool, new_task(count_and_free));
	EXPECT_EQ(nap_pool_help(&pool, 4), 4);
	EXPECT_EQ(nap_pool_help(&pool, 0), 6);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(with_no_worker_waits_nest)
{
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct member root = { NAP_TASK_INIT(member_fork), &group, &pool, 7 };

	nap_group_add(&group, 1);
	nap_schedule(&pool, &root.task);
	EXPECT_EQ(nap_group_wait(&group), 0);
	EXPECT_EQ(nr_run, 255);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* A thread waits before the task comes, and the worker for the task cannot be started. */
static struct nap_group group_of_two = NAP_GROUP_INIT(&pool);

static void done(struct nap_task *task)
{
	free(task);
	nap_group_done(&group_of_two);
}

static void *wait_for_group(void *arg)
{
	flag_set(arg);
	return nap_group_wait(&group_of_two) ? (void *)1 : NULL;
}

TEST(with_no_worker_a_waiter_is_told_of_later_tasks)
{
	unsigned long rounds = nap_test_count(300);

	watchdog(&pool, 0);
	for (unsigned long i = 0; nap_test_again(i, rounds); i++) {
		uint32_t started = 0;
		pthread_t thread;
		void *failed;

		nap_group_add(&group_of_two, 2);
		pthread_create(&thread, NULL, wait_for_group, &started);
		flag_wait(&started);
		if (i % 2)
			usleep(200);
		nap_schedule(&pool, new_task(done));
		if (i % 3)
			usleep(200);
		nap_schedule(&pool, new_task(done));
		pthread_join(thread, &failed);
		ASSERT_EQ(failed, NULL);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * The start of a second worker fails each time. The only worker runs all tasks, and tries the start
 * again at most once a millisecond.
 */
TEST(with_one_worker_failed_starts_are_not_repeated_all_the_time)
{
	unsigned long n = nap_test_count(20000);
	uint64_t began = nap__os_now();
	struct nap_pool_stats stats;

	fail_from = 2;
	for (unsigned long i = 0; i < n; i++)
		nap_schedule(&pool, new_task(schedule_two));
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, 3 * n);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.spawned, 1);
	EXPECT_GE(stats.spawn_failures, 1);
	/* Starts fail once a millisecond, and a few more because threads try at the same time. */
	EXPECT_LE(stats.spawn_failures, (nap__os_now() - began) / 1000000 + 4);
	TH_LOG("%u starts failed under %lu schedules", stats.spawn_failures, 3 * n);
	/* Starts can succeed again, so a later schedule gets the second worker. */
	nap_store_relaxed(&fail_from, UINT32_MAX);
	do {
		usleep(100);
		for (int i = 0; i < 100; i++)
			nap_schedule(&pool, new_task(count_and_free));
		nap_pool_get_stats(&pool, &stats);
	} while (stats.spawned < 2);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(prewarm_reports_the_failure)
{
	fail_from = 2;
	EXPECT_EQ(nap_pool_prewarm(&pool, 2), -EAGAIN);
	EXPECT_EQ(await_workers(1), 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * Failed starts leave tasks in the queue without a notification, so a prewarm has to check for
 * tasks.
 */
TEST(a_prewarmed_worker_runs_what_failed_starts_have_left)
{
	struct nap_task tasks[2] = { NAP_TASK_INIT(count_run), NAP_TASK_INIT(count_run) };

	watchdog(&pool, 0);
	fail_to = 2;
	EXPECT_EQ(nap_schedule(&pool, &tasks[0]), 0);
	EXPECT_EQ(nap_schedule(&pool, &tasks[1]), 0);
	EXPECT_EQ(count_workers(), 0);
	EXPECT_EQ(nap_pool_prewarm(&pool, 1), 0);
	while (nap_load_relaxed(&nr_run) < 2)
		sched_yield();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Any start may fail, and any number of starts after it: no task is lost, and no wait hangs. */
TEST(every_start_may_fail)
{
	for (uint32_t from = 1; from <= 5; from++)
		for (uint32_t to = from; to <= from + 4; to++) {
			struct nap_batch batch = new_batch(500, schedule_two);

			nr_run = starts = 0;
			fail_from = from;
			fail_to = to;
			ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 4 }),
				  0);
			for (int i = 0; i < 20; i++)
				nap_schedule(&pool, new_task(schedule_two));
			nap_schedule_batch(&pool, &batch);
			ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
			ASSERT_EQ(nr_run, 3 * 520);
		}
}

/* A start also fails without memory for the workers' records. */
static bool no_memory;

WRAP(void *, nap__os_map, (size_t size))
{
	return no_memory ? NULL : __real_nap__os_map(size);
}

TEST(without_memory_for_workers_the_tasks_still_run)
{
	struct nap_pool_stats stats;

	no_memory = true;
	for (int i = 0; i < 100; i++)
		nap_schedule(&pool, new_task(schedule_two));
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, 300);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.spawn_last_errno, ENOMEM);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * ---- A worker has taken a job, and then fails to start another worker. The callback waits for a
 * group of another pool. In this wait the worker runs nothing, because it holds the job.
 */

static struct nap_pool second = NAP_POOL_INIT(.max_workers = 1);
static struct nap_group of_second = NAP_GROUP_INIT(&second);
static struct nap_worker *forker, *thief;
static uint32_t job_runs[3], joined;

static void wait_for_second(struct nap_pool *which, int err, void *arg)
{
	struct nap_worker *self = nap_worker_self();

	(void)which;
	(void)err;
	(void)arg;
	if (!nap_load_relaxed(&forker) || self == nap_load_relaxed(&forker) ||
	    nap_load_relaxed(&thief))
		return;
	nap_store_release(&thief, self);
	if (nap_group_wait(&of_second))
		abort();
}

static void run_job(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	nap_fetch_add_relaxed(&job_runs[*(uint32_t *)(void *)frame->words], 1);
}

static void no_job(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	(void)frame;
}

static bool is_parked(struct nap_worker *worker)
{
	return nap_load_relaxed(&worker->event) == EVENT_PARKED;
}

/* Gives the other worker time to take a job. Each fork shows the older jobs if a worker asks. */
static void give_time(struct nap_frame *top)
{
	for (int i = 0; i < 1000; i++) {
		nap_fork(forker, top, no_job);
		sched_yield();
		if (nap_join(forker, top))
			no_job(forker, top, top);
	}
}

static void fork_three(struct nap_task *task)
{
	struct nap_worker *worker = registry_first(&pool);
	struct nap_frame *frame[4];

	(void)task;
	if (worker == nap_worker_self())
		worker = worker->next;
	while (!is_parked(worker))
		sched_yield();
	nap_store_relaxed(&forker, nap_worker_self());
	frame[0] = nap_top(forker);
	for (uint32_t i = 0; i < 3; i++) {
		*(uint32_t *)(void *)frame[i]->words = i;
		frame[i + 1] = nap_fork(forker, frame[i], run_job);
		while (!(worker = nap_load_acquire(&thief)))
			sched_yield();
	}
	give_time(frame[3]);
	/* The thief sleeps in its wait. Otherwise it has run a second job. */
	while (!is_parked(worker) && !nap_load_relaxed(&job_runs[1]) &&
	       !nap_load_relaxed(&job_runs[2]))
		sched_yield();
	nap_group_done(&of_second);
	for (int i = 2; i >= 0; i--)
		if (nap_join(forker, frame[i]))
			nap_fetch_add_relaxed(&job_runs[i], 1);
	nap_store_release(&joined, 1);
}

TEST(a_callback_that_waits_leaves_the_chosen_job_alone)
{
	struct nap_config config = { .max_workers = 3, .idle = NAP_IDLE_SYNC,
				     .spawn_failed = wait_for_second };
	struct nap_task task = NAP_TASK_INIT(fork_three);

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	watchdog(&pool, 0);
	nap_group_add(&of_second, 1);
	fail_from = 3;
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	for (struct nap_worker *w = registry_first(&pool); w; w = w->next)
		while (!is_parked(w))
			sched_yield();
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	while (!nap_load_acquire(&joined))
		sched_yield();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(job_runs[i], 1);
	EXPECT_EQ(nap_pool_join(&second, NULL), 0);
}

TEST_HARNESS_MAIN
