/* SPDX-License-Identifier: MIT */
/*
 * Forks in the middle of work: by a thread that does not use the pool, by a thread that schedules
 * on it, and by its tasks. In the child every call gives its documented answer at once, and every
 * way to end the process is clean. The parent goes on undisturbed.
 */
#include "fault/fork.h"

/* Neither ThreadSanitizer nor qemu-user can start a thread in a child of a threaded process. */
#if !defined(NAP_TEST_TSAN) && !defined(NAP_TEST_EMULATED)
#define CHILD_HAS_THREADS 1
#else
#define CHILD_HAS_THREADS 0
#endif

/* ---- checks in children */

static void use_fresh_pool(void)
{
	static struct nap_pool fresh;
	static struct nap_task tasks[10];

	CHECK(nap_pool_init(&fresh, &(struct nap_config){ .max_workers = 2 }) == 0);
	nap_store_relaxed(&nr_run, 0);
	for (int i = 0; i < 10; i++) {
		nap_task_init(&tasks[i], count_run);
		CHECK(nap_schedule(&fresh, &tasks[i]) == 0);
	}
	CHECK(nap_pool_quiesce(&fresh) == 0);
	CHECK(nap_pool_join(&fresh, NULL) == 0);
	CHECK(nap_load_relaxed(&nr_run) == 10);
}

/* Checks that every call gives its documented answer at once. */
static void answers(void)
{
	struct nap_task task = NAP_TASK_INIT(count_run);
	struct nap_batch batch = { &task, &task, 1 }, left = batch;
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct nap_pool_stats stats;
	struct nap_worker_stats worker_stats;

	CHECK(nap_worker_self() == NULL);
	CHECK(nap_schedule(&pool, &task) == -ESHUTDOWN && task.run == count_run);
	CHECK(nap_schedule_batch(&pool, &batch) == -ESHUTDOWN && batch.count == 1);
	CHECK(nap_pool_prewarm(&pool, 3) == -ESHUTDOWN);
	CHECK(nap_pool_quiesce(&pool) == -ESHUTDOWN);
	CHECK(nap_pool_quiesce_for(&pool, 0) == -ESHUTDOWN);
	CHECK(nap_pool_help(&pool, 0) == -ESHUTDOWN);
	CHECK(nap_pool_shutdown(&pool, NAP_DRAIN) == -ESHUTDOWN);
	CHECK(nap_pool_shutdown(&pool, NAP_STOP) == -ESHUTDOWN);
	CHECK(nap_pool_shutdown(&pool, (enum nap_shutdown)7) == -EINVAL);
	CHECK(nap_pool_join(&pool, &left) == -ESHUTDOWN && left.count == 0);
	CHECK(nap_pool_get_stats(&pool, &stats) == 0);
	CHECK(nap_worker_get_stats(&pool, 0, &worker_stats) == -ESHUTDOWN);
	CHECK(nap_group_wait(&group) == 0);
	CHECK(nap_group_add(&group, 1) == 0);
	CHECK(nap_group_wait(&group) == -ESHUTDOWN);
	CHECK(nap_group_wait_for(&group, 1000) == -ESHUTDOWN);
	CHECK(nap_group_done(&group) == 0);
	CHECK(nap_group_wait(&group) == 0);
	if (CHILD_HAS_THREADS)
		use_fresh_pool();
}

/* What a child does. @number chooses how the child ends. */
static void be_child(unsigned number)
{
	set_alarm();
	answers();
	if (number % 5 == 0) {
		pid_t grandchild = fork();
		int status;

		if (grandchild == 0) {
			set_alarm();
			answers();
			_exit(0);
		}
		CHECK(waitpid(grandchild, &status, 0) == grandchild);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	if (number % 2)
		exit(0);
	_exit(0);
}

static void fork_one(unsigned number)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		abort();
	if (child == 0)
		be_child(number);
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status))
		nap_cmpxchg_relaxed(&told->line, 0, __LINE__);
	nap_fetch_add_release(&told->children, 1);
}

/* ---- the load: static tasks, so that children leak nothing */

enum { LOAD = 32, FEED = 64 };
static struct nap_task load[LOAD];
static unsigned long accepted;
static uint32_t load_ends;

static void go_on(struct nap_task *task)
{
	nap_fetch_add_relaxed(&nr_run, 1);
	if (nap_load_relaxed(&load_ends))
		return;
	nap_fetch_add_relaxed(&accepted, 1);
	if (nap_schedule(&pool, task))
		abort();
}

/* Schedules on the pool and waits for it. Forks in the middle of the first *@forks rounds. */
static void *feed(void *forks)
{
	unsigned n = *(unsigned *)forks;

	for (unsigned i = 0; i < n || !nap_load_relaxed(&load_ends); i++) {
		struct nap_group group = NAP_GROUP_INIT(&pool);
		struct member members[FEED];

		nap_group_add(&group, FEED);
		for (int k = 0; k < FEED; k++) {
			members[k] = (struct member){ NAP_TASK_INIT(member_done), &group, &pool,
						     0 };
			if (k == FEED / 2 && i < n)
				fork_one(i);
			if (nap_schedule(&pool, &members[k].task))
				abort();
		}
		if (nap_group_wait(&group))
			abort();
		nap_fetch_add_relaxed(&accepted, FEED);
	}
	return NULL;
}

static void begin_load(void)
{
	begin_telling();
	for (int i = 0; i < LOAD; i++) {
		nap_task_init(&load[i], go_on);
		nap_fetch_add_relaxed(&accepted, 1);
		if (nap_schedule(&pool, &load[i]))
			abort();
	}
}

static void end_load(struct __test_metadata *_metadata, const char *fault)
{
	nap_store_relaxed(&load_ends, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(count_workers(), 0);
	EXPECT_EQ(told->line, 0) {
		TH_LOG("a child failed in line %u", told->line);
	}
	fault_report(fault, told->children, accepted, nr_run);
}

TEST(from_a_thread_beside_the_pool)
{
	unsigned forks = (unsigned)nap_test_count(40);

	watchdog(&pool, 0);
	begin_load();
	for (unsigned i = 0; i < forks; i++)
		fork_one(i);
	EXPECT_EQ(told->handlers, forks / 2);
	end_load(_metadata, "forks beside a busy pool");
}

TEST(from_threads_that_feed_the_pool)
{
	unsigned forks = (unsigned)nap_test_count(20);
	pthread_t threads[2];

	watchdog(&pool, 0);
	begin_load();
	for (int t = 0; t < 2; t++)
		pthread_create(&threads[t], NULL, feed, &forks);
	while (nap_load_acquire(&told->children) < 2 * forks)
		usleep(1000);
	nap_store_relaxed(&load_ends, 1);
	for (int t = 0; t < 2; t++)
		pthread_join(threads[t], NULL);
	end_load(_metadata, "forks by producers");
}

/* ---- forks inside tasks */

static void fork_inside(struct nap_task *task)
{
	static unsigned number;

	fork_one(nap_fetch_add_relaxed(&number, 1));
	count_run(task);
}

TEST(from_inside_tasks)
{
	enum { N = 20 };
	static struct nap_task tasks[N];
	unsigned long forks = nap_test_count(N);

	watchdog(&pool, 0);
	begin_load();
	for (unsigned long i = 0; i < forks; i++) {
		nap_task_init(&tasks[i], fork_inside);
		nap_fetch_add_relaxed(&accepted, 1);
		ASSERT_EQ(nap_schedule(&pool, &tasks[i]), 0);
	}
	while (nap_load_acquire(&told->children) < forks)
		usleep(1000);
	end_load(_metadata, "forks by tasks");
}

/* Waits; the task that forks runs nested in this wait. */
static void wait_around_it(struct nap_task *task)
{
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct nap_task forks = NAP_TASK_INIT(fork_and_return);
	uint32_t before = nap_load_acquire(&told->children);
	pid_t self = getpid();
	int err = 0;

	nap_group_add(&group, 1);
	nap_fetch_add_relaxed(&accepted, 1);
	if (nap_schedule(&pool, &forks))
		abort();
	while (nap_load_acquire(&told->children) == before && err != -ESHUTDOWN)
		err = nap_group_wait_for(&group, 100000);
	if (getpid() != self)
		CHECK(err == -ESHUTDOWN);
	else if (err != -ETIMEDOUT)
		nap_cmpxchg_relaxed(&told->line, 0, __LINE__);
	count_run(task);
}

TEST(a_worker_that_is_left_alone_in_the_child_ends_it)
{
	static struct nap_task around = NAP_TASK_INIT(wait_around_it), plain;
	unsigned long forks = nap_test_count(10);

#ifdef NAP_TEST_TSAN
	/*
	 * Under ThreadSanitizer the child crashes in an exit handler, when its only thread ends.
	 * Ten lines without nap show the same.
	 */
	SKIP(return, "ThreadSanitizer cannot exit on a thread that has ended");
#endif
	watchdog(&pool, 0);
	begin_load();
	for (unsigned long i = 0; i < forks; i++) {
		uint32_t before = nap_load_acquire(&told->children);

		nap_task_init(&plain, fork_and_return);
		nap_fetch_add_relaxed(&accepted, 1);
		ASSERT_EQ(nap_schedule(&pool, i % 2 ? &around : &plain), 0);
		while (nap_load_acquire(&told->children) == before)
			usleep(1000);
		/*
		 * The wait in which the task forked is soon over. Until then this thread schedules
		 * no other task.
		 */
		while (i % 2 && nap_load_relaxed(&accepted) - nap_load_relaxed(&nr_run) > LOAD)
			usleep(1000);
	}
	EXPECT_EQ(told->handlers, forks);
	end_load(_metadata, "forks by tasks that return in the child");
}

TEST_HARNESS_MAIN
