/* SPDX-License-Identifier: MIT */
/* The end of a pool: draining, stopping, joining in every order, helping, and forks. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/wait.h>

#include "idle_words.h"
#include "pool_fixture.h"
#include "watchdog.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static struct nap_pool one = NAP_POOL_INIT(.max_workers = 1);

TEST(drain_runs_everything_and_what_that_schedules)
{
	struct nap_batch batch = new_batch(1000, count_and_free), left;
	struct nap_task refused = NAP_TASK_INIT(count_run);
	struct blocker blocker = BLOCKER_INIT;

	nap_schedule(&one, &blocker.task);
	flag_wait(&blocker.running);
	ASSERT_EQ(nap_schedule_batch(&one, &batch), 0);
	EXPECT_EQ(nap_pool_shutdown(&one, NAP_DRAIN), 0);
	EXPECT_EQ(nap_pool_shutdown(&one, NAP_DRAIN), -EALREADY);
	EXPECT_EQ(nap_schedule(&one, &refused), -ESHUTDOWN);
	EXPECT_TRUE(refused.run == count_run);
	batch = new_batch(3, count_and_free);
	EXPECT_EQ(nap_schedule_batch(&one, &batch), -ESHUTDOWN);
	EXPECT_EQ(batch.count, 3);
	EXPECT_EQ(free_batch(&batch), 3);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&one, &left), 0);
	EXPECT_EQ(left.count, 0);
	EXPECT_EQ(nr_run, 1001);
}

/*
 * A chain of tasks, each of which schedules the next from inside the pool: a drain runs the whole
 * chain.
 */
static long links = 1000;

static void schedule_next(struct nap_task *task)
{
	if (links-- > 0 && nap_schedule(&pool, task))
		abort();
}

TEST(drain_accepts_what_its_own_tasks_schedule)
{
	struct nap_task chain = NAP_TASK_INIT(schedule_next);

	nap_schedule(&pool, &chain);
	nap_pool_shutdown(&pool, NAP_DRAIN);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(links, -1);
}

TEST(stop_returns_what_was_not_run)
{
	struct nap_batch batch = new_batch(1000, count_and_free), left;
	struct blocker blocker = BLOCKER_INIT;

	nap_schedule(&one, &blocker.task);
	flag_wait(&blocker.running);
	ASSERT_EQ(nap_schedule_batch(&one, &batch), 0);
	EXPECT_EQ(nap_pool_shutdown(&one, NAP_DRAIN), 0);
	EXPECT_EQ(nap_pool_shutdown(&one, NAP_STOP), 0);
	EXPECT_EQ(nap_pool_shutdown(&one, NAP_DRAIN), -EALREADY);
	EXPECT_EQ(nap_pool_shutdown(&one, NAP_STOP), -EALREADY);
	EXPECT_EQ(nap_pool_quiesce(&one), -ECANCELED);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_EQ(nr_run, 1);
	/* The first join has not asked for the batch, so a later join gets the batch, once. */
	EXPECT_EQ(nap_pool_join(&one, &left), -EALREADY);
	EXPECT_EQ(left.count, 1000);
	EXPECT_EQ(free_batch(&left), 1000);
	EXPECT_EQ(nap_pool_join(&one, &left), -EALREADY);
	EXPECT_EQ(left.count, 0);
}

/*
 * A stop refuses the pool's own workers, too, and they keep the tasks that they wanted to schedule.
 * A wait for a group of the pool ends with -ECANCELED. A wait for a group without a pool goes on
 * until its time is over.
 */
static int refusals[5];

static void stop_and_schedule(struct nap_task *task)
{
	static struct nap_task refused = NAP_TASK_INIT(count_run);
	struct nap_group group = NAP_GROUP_INIT(&one), strangers = NAP_GROUP_INIT(NULL);
	struct nap_batch batch = NAP_BATCH_INIT;

	(void)task;
	nap_batch_push(&batch, &refused);
	refusals[0] = nap_pool_shutdown(&one, NAP_STOP);
	refusals[1] = nap_schedule(&one, &refused);
	refusals[2] = nap_schedule_batch(&one, &batch);
	nap_group_add(&group, 1);
	refusals[3] = nap_group_wait(&group);
	nap_group_add(&strangers, 1);
	refusals[4] = nap_group_wait_for(&strangers, 1000000);
	if (refused.run != count_run || batch.count != 1)
		abort();
}

TEST(a_stop_refuses_its_own_workers)
{
	struct nap_task task = NAP_TASK_INIT(stop_and_schedule);
	struct nap_batch left;

	nap_schedule(&one, &task);
	EXPECT_EQ(nap_pool_join(&one, &left), 0);
	EXPECT_EQ(refusals[0], 0);
	EXPECT_EQ(refusals[1], -ESHUTDOWN);
	EXPECT_EQ(refusals[2], -ESHUTDOWN);
	EXPECT_EQ(refusals[3], -ECANCELED);
	EXPECT_EQ(refusals[4], -ETIMEDOUT);
	EXPECT_EQ(left.count, 0);
	EXPECT_EQ(nr_run, 0);
}

/* ---- a schedule races a shutdown: its task is run, refused or returned, never lost ---- */

static unsigned long accepted, refused;
static uint32_t go;

static void *schedule_until_refused(void *arg)
{
	(void)arg;
	flag_wait(&go);
	for (unsigned i = 0; ; i++) {
		struct nap_batch batch = new_batch(1 + i % 3, count_and_free);
		size_t n = batch.count;

		if (nap_schedule_batch(&pool, &batch)) {
			nap_fetch_add_relaxed(&refused, free_batch(&batch));
			return NULL;
		}
		nap_fetch_add_relaxed(&accepted, n);
		if (i % 64 == 0)
			sched_yield();
	}
}

static void *join_too(void *arg)
{
	int *result = arg;

	flag_wait(&go);
	*result = nap_pool_join(&pool, NULL);
	return NULL;
}

TEST(nothing_is_lost_in_a_race_with_the_end)
{
	unsigned long rounds = nap_test_count(400);

	for (unsigned long i = 0; nap_test_again(i, rounds); i++) {
		pthread_t threads[3];
		struct nap_batch left;
		int other = 1, mine;

		go = nr_run = accepted = refused = 0;
		ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 + i % 3 }),
			  0);
		for (int t = 0; t < 2; t++)
			pthread_create(&threads[t], NULL, schedule_until_refused, NULL);
		pthread_create(&threads[2], NULL, join_too, &other);
		flag_set(&go);
		/* A few yields only, because each one takes long on a loaded machine. */
		for (unsigned long k = 0; k < i % 8; k++)
			sched_yield();
		nap_pool_shutdown(&pool, i % 2 ? NAP_STOP : NAP_DRAIN);
		mine = nap_pool_join(&pool, &left);
		for (int t = 0; t < 3; t++)
			pthread_join(threads[t], NULL);
		/*
		 * The other thread may have begun the end, as a drain. One of the two threads has
		 * ended the pool.
		 */
		ASSERT_EQ((mine == 0) + (other == 0), 1);
		ASSERT_EQ((mine == -EALREADY) + (other == -EALREADY), 1);
		ASSERT_EQ(nr_run + free_batch(&left), accepted);
		ASSERT_GT(refused, 0);
	}
}

/* ---- join ---- */

static int results[3];

static void join_from_inside(struct nap_task *task)
{
	(void)task;
	results[0] = nap_pool_join(&pool, NULL);
	results[1] = nap_pool_quiesce(&pool);
	results[2] = nap_pool_quiesce_for(&pool, 0);
	nap_fetch_add_relaxed(&nr_run, 1);
}

TEST(a_worker_cannot_join_or_quiesce_its_own_pool)
{
	struct nap_task task = NAP_TASK_INIT(join_from_inside);

	nap_schedule(&pool, &task);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(results[i], -EDEADLK);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(after_join_everything_says_so)
{
	struct nap_task task = NAP_TASK_INIT(count_run);
	struct nap_batch batch = NAP_BATCH_INIT, left;
	struct nap_worker_stats stats;

	nap_schedule(&pool, &task);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(nap_pool_join(&pool, &left), -EALREADY);
	EXPECT_EQ(left.count, 0);
	EXPECT_EQ(nap_schedule(&pool, &task), -ESHUTDOWN);
	nap_batch_push(&batch, &task);
	EXPECT_EQ(nap_schedule_batch(&pool, &batch), -ESHUTDOWN);
	EXPECT_EQ(nap_pool_prewarm(&pool, 1), -ESHUTDOWN);
	EXPECT_EQ(nap_pool_help(&pool, 1), -ESHUTDOWN);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_worker_get_stats(&pool, 0, &stats), -ESHUTDOWN);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), -EALREADY);
	/* No word of the pool names a thread that has left. */
	EXPECT_EQ(pool.registry, NULL);
	EXPECT_EQ(pool.records, NULL);
	EXPECT_EQ(pool.nr_records + pool.nr_guests + pool.nr_spares, 0);
	EXPECT_EQ(idle_ops(&pool)->spawned(&pool) + idle_ops(&pool)->idle(&pool), 0);
	EXPECT_EQ(pool.idle_set, 0);
	/* The pool can be used again. */
	ASSERT_EQ(nap_pool_init(&pool, NULL), 0);
	EXPECT_EQ(pool.config.max_workers, 0);
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 2);
}

/* The pool's memory is freed right after the join: no worker may touch it on its way out. */
TEST(the_pool_may_be_freed_after_join)
{
	unsigned long rounds = nap_test_count(2000);

	for (unsigned long i = 0; nap_test_again(i, rounds); i++) {
		struct nap_pool *heap = aligned_alloc(64, sizeof(*heap));
		struct nap_task tasks[4];

		ASSERT_NE(heap, NULL);
		ASSERT_EQ(nap_pool_init(heap, &(struct nap_config){ .max_workers = 1 + i % 4 }), 0);
		for (int t = 0; t < 4; t++) {
			nap_task_init(&tasks[t], count_run);
			nap_schedule(heap, &tasks[t]);
		}
		if (i % 2)
			nap_pool_quiesce(heap);
		if (i % 3 == 0)
			nap_pool_shutdown(heap, NAP_STOP);
		EXPECT_EQ(nap_pool_join(heap, NULL), 0);
		memset(heap, 0xee, sizeof(*heap));
		free(heap);
	}
}

#ifndef NAP_TEST_BARE	/* a bare build calls nothing when a thread ends */
/* The join also waits for what a thread does at its end without the pool's knowledge. */
static uint32_t thread_ended;

static void end_slowly(void *unused)
{
	(void)unused;
	usleep(20000);
	nap_store_relaxed(&thread_ended, 1);
}

static pthread_key_t key;

static void use_key(struct nap_task *task)
{
	pthread_setspecific(key, task);
}

TEST(join_waits_for_the_threads_themselves)
{
	struct nap_task task = NAP_TASK_INIT(use_key);

	ASSERT_EQ(pthread_key_create(&key, end_slowly), 0);
	nap_schedule(&one, &task);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_EQ(nap_load_relaxed(&thread_ended), 1);
}
#endif

/* A shutdown that meets another wake must not leave a parked worker behind. */
TEST(shutdown_finds_every_sleeper)
{
	unsigned long rounds = nap_test_count(2000);

	watchdog(&pool, 0);
	for (unsigned long i = 0; nap_test_again(i, rounds); i++) {
		struct nap_task task = NAP_TASK_INIT(count_run);

		nap_pool_init(&pool, &(struct nap_config){ .max_workers = 4 });
		nap_pool_prewarm(&pool, 4);
		if (i % 2)
			nap_pool_quiesce(&pool);
		nap_schedule(&pool, &task);
		nap_pool_shutdown(&pool, i % 4 < 2 ? NAP_STOP : NAP_DRAIN);
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	}
}

/* ---- help ---- */

TEST(help_runs_so_many_and_says_how_many)
{
	struct nap_batch batch = new_batch(10, count_and_free);
	struct blocker blocker = BLOCKER_INIT;
	struct nap_pool_stats stats;

	nap_schedule(&one, &blocker.task);
	flag_wait(&blocker.running);
	nap_schedule_batch(&one, &batch);
	EXPECT_EQ(nap_pool_help(&one, 3), 3);
	EXPECT_EQ(nr_run, 3);
	EXPECT_EQ(nap_pool_help(&one, 0), 7);
	EXPECT_EQ(nap_pool_help(&one, 0), 0);
	nap_pool_get_stats(&one, &stats);
	EXPECT_EQ(stats.helped, 10);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_EQ(nr_run, 11);
}

/* The helper takes tasks out of a busy worker's ring and overflow, too. */
static uint32_t flooded, helped;

static void flood_and_wait(struct nap_task *task)
{
	(void)task;
	for (int i = 0; i < 1000; i++)
		nap_schedule(&one, new_task(count_and_free));
	flag_set(&flooded);
	flag_wait(&helped);
}

TEST(help_takes_from_a_busy_worker)
{
	struct nap_task task = NAP_TASK_INIT(flood_and_wait);

	nap_schedule(&one, &task);
	flag_wait(&flooded);
	EXPECT_EQ(nap_pool_help(&one, 0), 1000);
	EXPECT_EQ(nr_run, 1000);
	flag_set(&helped);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
}

static long nested;

static void help_inside(struct nap_task *task)
{
	(void)task;
	nested = nap_pool_help(&one, 5);
}

TEST(help_nests_on_a_worker)
{
	struct nap_task task = NAP_TASK_INIT(help_inside);
	struct nap_batch batch = NAP_BATCH_INIT;

	nap_batch_push(&batch, &task);
	for (int i = 0; i < 9; i++)
		nap_batch_push(&batch, new_task(count_and_free));
	nap_schedule_batch(&one, &batch);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_EQ(nested, 5);
	EXPECT_EQ(nr_run, 9);
}

/* A helper's task may help, too, and so runs other tasks nested. */
TEST(help_nests_in_a_helper)
{
	struct nap_task task = NAP_TASK_INIT(help_inside);
	struct nap_batch batch = NAP_BATCH_INIT;
	struct blocker blocker = BLOCKER_INIT;

	nap_schedule(&one, &blocker.task);
	flag_wait(&blocker.running);
	nap_batch_push(&batch, &task);
	for (int i = 0; i < 9; i++)
		nap_batch_push(&batch, new_task(count_and_free));
	nap_schedule_batch(&one, &batch);
	EXPECT_EQ(nap_pool_help(&one, 1), 1);
	EXPECT_EQ(nested, 5);
	EXPECT_EQ(nr_run, 5);
	/* A value over LONG_MAX is no bound, like 0. */
	EXPECT_EQ(nap_pool_help(&one, ULONG_MAX), 4);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_EQ(nr_run, 10);
}

/* A helper's task stops the pool: the helper begins no other task. */
static void stop_one(struct nap_task *task)
{
	(void)task;
	nap_pool_shutdown(&one, NAP_STOP);
}

TEST(a_helper_stops_when_the_pool_does)
{
	struct nap_task task = NAP_TASK_INIT(stop_one);
	struct nap_batch batch = NAP_BATCH_INIT, left;
	struct blocker blocker = BLOCKER_INIT;

	nap_schedule(&one, &blocker.task);
	flag_wait(&blocker.running);
	nap_batch_push(&batch, &task);
	for (int i = 0; i < 9; i++)
		nap_batch_push(&batch, new_task(count_and_free));
	nap_schedule_batch(&one, &batch);
	EXPECT_EQ(nap_pool_help(&one, 0), 1);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&one, &left), 0);
	EXPECT_EQ(nr_run, 1);
	EXPECT_EQ(free_batch(&left), 9);
}

/* A pool is not quiescent while a helper is inside a task. */
static void *help_once(void *arg)
{
	(void)arg;
	while (nap_pool_help(&one, 1) == 0)
		sched_yield();
	return NULL;
}

TEST(a_helper_is_not_at_rest)
{
	struct blocker busy = BLOCKER_INIT, helped_task = BLOCKER_INIT;
	pthread_t thread;

	nap_schedule(&one, &busy.task);
	flag_wait(&busy.running);
	nap_schedule(&one, &helped_task.task);
	pthread_create(&thread, NULL, help_once, NULL);
	flag_wait(&helped_task.running);
	flag_set(&busy.let_go);
	while (nap_load_relaxed(&nr_run) < 1)
		sched_yield();
	EXPECT_EQ(nap_pool_quiesce_for(&one, 20000000), -ETIMEDOUT);
	EXPECT_EQ(nap_load_relaxed(&nr_run), 1);
	flag_set(&helped_task.let_go);
	EXPECT_EQ(nap_pool_quiesce(&one), 0);
	EXPECT_EQ(nr_run, 2);
	pthread_join(thread, NULL);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
}

/*
 * A helper's task schedules another task. The helper has to notify the only worker: this worker
 * sleeps, and no other thread will wake it.
 */
static struct blocker before_helping = BLOCKER_INIT, for_the_worker = BLOCKER_INIT;
static struct nap_worker *ran_on;

static void say_where_and_run(struct nap_task *task)
{
	ran_on = nap_worker_self();
	block(task);
}

static void schedule_for_a_sleeper(struct nap_task *task)
{
	struct nap_pool_stats stats;

	(void)task;
	flag_set(&before_helping.let_go);
	/*
	 * Waits until the worker is parked, or parks without another check of the queues. From then
	 * on only a notification makes the worker look for tasks.
	 */
	do {
		nap_pool_get_stats(&one, &stats);
	} while (stats.idle == 0 || stats.workers.parked == 0 ||
		 !idle_words(&one)->nobody_called(&one));
	for_the_worker.let_go = 1;
	nap_task_init(&for_the_worker.task, say_where_and_run);
	if (nap_schedule(&one, &for_the_worker.task))
		abort();
	flag_wait(&for_the_worker.running);
}

TEST(what_a_helpers_task_schedules_wakes_the_worker)
{
	struct nap_task task = NAP_TASK_INIT(schedule_for_a_sleeper);

	watchdog(&one, 0);
	nap_schedule(&one, &before_helping.task);
	flag_wait(&before_helping.running);
	nap_schedule(&one, &task);
	EXPECT_EQ(nap_pool_help(&one, 1), 1);
	EXPECT_NE(ran_on, NULL);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_EQ(nr_run, 2);
}

/* A thread helps one pool, in a task that it runs while it helps another: it is inside both. */
static int inner[3];

static void look_at_one(struct nap_task *task)
{
	static struct nap_task child = NAP_TASK_INIT(count_run);

	(void)task;
	inner[0] = nap_pool_join(&one, NULL);
	inner[1] = nap_pool_shutdown(&one, NAP_DRAIN);
	inner[2] = nap_schedule(&one, &child);
}

static void help_other_pool(struct nap_task *task)
{
	(void)task;
	nap_pool_help(&pool, 1);
}

TEST(helping_nests_across_pools)
{
	struct nap_task outer = NAP_TASK_INIT(help_other_pool), look = NAP_TASK_INIT(look_at_one);
	struct blocker in_one = BLOCKER_INIT, in_pool[2] = { BLOCKER_INIT, BLOCKER_INIT };

	nap_schedule(&one, &in_one.task);
	flag_wait(&in_one.running);
	for (int i = 0; i < 2; i++) {
		nap_schedule(&pool, &in_pool[i].task);
		flag_wait(&in_pool[i].running);
	}
	nap_schedule(&one, &outer);
	nap_schedule(&pool, &look);
	EXPECT_EQ(nap_pool_help(&one, 1), 1);
	EXPECT_EQ(inner[0], -EDEADLK);
	EXPECT_EQ(inner[1], 0);
	EXPECT_EQ(inner[2], 0);
	flag_set(&in_one.let_go);
	flag_set(&in_pool[0].let_go);
	flag_set(&in_pool[1].let_go);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 4);
}

/* ---- fork ---- */

/* Checks in the child that every call answers at once; returns the line of a wrong answer. */
static int child_of_running_pool(void)
{
	static struct nap_pool fresh = NAP_POOL_INIT(.max_workers = 1);
	struct nap_task task = NAP_TASK_INIT(count_run);
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct nap_batch left;
	struct nap_pool_stats stats;
	struct nap_worker_stats worker_stats;

#define CHECK(cond) do { if (!(cond)) return __LINE__; } while (0)
	CHECK(nap_worker_self() == NULL);
	CHECK(nap_schedule(&pool, &task) == -ESHUTDOWN);
	CHECK(nap_pool_prewarm(&pool, 2) == -ESHUTDOWN);
	CHECK(nap_pool_quiesce(&pool) == -ESHUTDOWN);
	CHECK(nap_pool_help(&pool, 0) == -ESHUTDOWN);
	CHECK(nap_pool_shutdown(&pool, NAP_STOP) == -ESHUTDOWN);
	CHECK(nap_pool_join(&pool, &left) == -ESHUTDOWN);
	CHECK(nap_pool_get_stats(&pool, &stats) == 0);
	CHECK(nap_worker_get_stats(&pool, 0, &worker_stats) == -ESHUTDOWN);
	nap_group_add(&group, 1);
	CHECK(nap_group_wait(&group) == -ESHUTDOWN);
	/*
	 * ThreadSanitizer and qemu-user cannot start a thread in a child of a threaded process,
	 * nor can AddressSanitizer, whose allocator may be locked there for ever.
	 */
#if !defined(NAP_TEST_TSAN) && !defined(NAP_TEST_LSAN) && !defined(NAP_TEST_EMULATED)
	/* A pool that was not used before the fork works in the child. */
	nr_run = 0;
	CHECK(nap_schedule(&fresh, &task) == 0);
	CHECK(nap_pool_join(&fresh, NULL) == 0);
	CHECK(nr_run == 1);
#else
	(void)fresh;
#endif
	return 0;
}

/*
 * Returns the exit status of @child; -1: a signal has ended the child. Children end by
 * quick_exit(), which does not check for leaks, because only the parent can free what they have
 * inherited.
 */
static int exit_of(pid_t child)
{
	int status;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(a_child_of_a_fork_is_refused_and_does_not_hang)
{
	static struct nap_task tasks[10000];
	struct nap_batch batch = NAP_BATCH_INIT;
	pid_t child;

	/*
	 * At the fork no task and no new thread is inside malloc(), because the allocator of a tool
	 * (gcc's ThreadSanitizer) may stay locked in the child.
	 */
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	for (int i = 0; i < 10000; i++) {
		nap_task_init(&tasks[i], count_run);
		nap_batch_push(&batch, &tasks[i]);
	}
	nap_schedule_batch(&pool, &batch);
	child = fork();
	if (child == 0)
		quick_exit(child_of_running_pool() & 0xff);
	EXPECT_EQ(exit_of(child), 0);
	/* The parent's pool is as it was. */
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 10000);
}

static int child_status = -2;

static void fork_on_worker(struct nap_task *task)
{
	pid_t child = fork();

	(void)task;
	if (child == 0)
		quick_exit(child_of_running_pool() & 0xff);
	child_status = exit_of(child);
}

TEST(a_worker_may_fork)
{
	struct nap_task task = NAP_TASK_INIT(fork_on_worker);

	nap_schedule(&pool, &task);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(child_status, 0);
}

TEST_HARNESS_MAIN
