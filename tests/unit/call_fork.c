/* SPDX-License-Identifier: MIT */
/* fork(2) inside nap_call() and a loop: the parent goes on, and the child's thread is no worker. */
#include <pthread.h>
#include <sys/wait.h>

#include "call_fixture.h"

static pid_t child;

static void fork_process(struct nap_worker *worker, void *arg)
{
	struct nap_task task = NAP_TASK_INIT(count_run);

	child = fork();
	if (child == 0 && nap_schedule(&pool, &task) != -ESHUTDOWN)
		quick_exit(2);
	*(long *)arg = fib(worker, nap_top(worker), 15);
}

/* What the child does: its thread is no worker of the parent's pool, and calls another pool. */
static int go_on_in_child(long result)
{
	if (nap_worker_self())
		return 3;
	if (result != FIB_15)
		return 4;
	if (nap_call(&pool, call_fib, &result) != -ESHUTDOWN)
		return 5;
#ifndef NAP_TEST_EMULATED	/* an emulator cannot start threads here */
	result = 0;
	begin_pool(&other, pool.config.idle, 1);
	if (nap_call(&other, call_fib, &result) || result != FIB_15)
		return 6;
	if (nap_pool_join(&other, NULL))
		return 7;
#endif
	return 0;
}

TEST_F(under, a_call_may_fork)
{
	long result = 0;
	int status = -1;

	begin_pool(&pool, self->idle, 2);
	ASSERT_EQ(nap_call(&pool, fork_process, &result), 0);
	if (child == 0)
		quick_exit(go_on_in_child(result));
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(result, FIB_15);
	EXPECT_EQ(nap_call(&pool, call_fib, &result), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a child, inside a call, makes a call of its own, in which it forks */

static pid_t inner_child;

static void fork_again(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
	inner_child = fork();
	/* The grandchild is inside both calls, so it may set up neither pool. */
	if (inner_child == 0 && (nap_pool_init_child(&other) != -EDEADLK ||
				 nap_pool_init_child(&pool) != -EDEADLK))
		quick_exit(2);
}

static void fork_and_call(struct nap_worker *worker, void *unused)
{
	int status = -1;

	(void)worker;
	(void)unused;
	child = fork();
	if (child)
		return;
	begin_pool(&other, pool.config.idle, 1);
	if (nap_call(&other, fork_again, NULL))
		quick_exit(3);
	if (inner_child == 0) {
		/*
		 * The grandchild has left the call on @other, and is still inside the call on
		 * @pool.
		 */
		if (nap_pool_init_child(&pool) != -EDEADLK || nap_pool_init_child(&other))
			quick_exit(4);
		return;
	}
	if (waitpid(inner_child, &status, 0) != inner_child || status)
		quick_exit(5);
}

TEST_F(under, a_grandchild_knows_what_it_is_inside_of)
{
	int status = -1;

	begin_pool(&pool, self->idle, 1);
	ASSERT_EQ(nap_call(&pool, fork_and_call, NULL), 0);
	if (child == 0)
		quick_exit(nap_pool_init_child(&pool) ? 6 : 0);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a loop, in the middle of which its caller forks */

enum { PARTS = 8 };

static __thread bool is_looper;
static bool has_forked;
static uint32_t nr_others = 1;
static uint32_t runs[PARTS];

#if defined(NAP_TEST_EMULATED) || defined(NAP_TEST_TSAN)	/* neither can start threads here */
static void start_threads(void)
{
}
#else
/* Fills the thread's stack. In the child this may be the stack of a thread that ran a part. */
static void *fill_stack(void *arg)
{
	volatile char filled[64 << 10];

	for (size_t i = 0; i < sizeof(filled); i++)
		filled[i] = 'x';
	return arg;
}

static void start_threads(void)
{
	pthread_t threads[8];

	for (int i = 0; i < 8; i++)
		if (pthread_create(&threads[i], NULL, fill_stack, NULL))
			quick_exit(3);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
}
#endif

/*
 * The loop's caller forks while other threads are in parts of the loop. The child does not have
 * these threads, so only the parent completes the parts.
 */
static int fork_in_part(size_t begin, size_t end, void *unused)
{
	(void)unused;
	if (!is_looper) {
		wait_at_door();
	} else if (!has_forked) {
		await_at_door(nr_others);
		has_forked = true;
		child = fork();
		if (child) {
			open_door();
		} else {
			alarm(watchdog_seconds());
			start_threads();
		}
	}
	for (; begin < end; begin++)
		nap_fetch_add_relaxed(&runs[begin], 1);
	return 0;
}

static void expect_all_parts(struct __test_metadata *_metadata, struct nap_owners *owners)
{
	const struct nap_loop how = { .grain = 1, .owners = owners };
	int err, status = -1;

	is_looper = true;
	err = nap_for_as(&pool, &how, 0, PARTS, fork_in_part, NULL);
	for (int i = 0; i < PARTS; i++) {
		err = err ? err : runs[i] != 1;
	}
	if (child == 0)
		quick_exit(err ? 2 : 0);
	EXPECT_EQ(err, 0);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_F(under, a_loop_may_fork)
{
	begin_pool(&pool, self->idle, 2);
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	expect_all_parts(_metadata, NULL);
}

/* Three parts are open, and some of them are parts of others. */
TEST_F(under, a_loop_of_several_may_fork)
{
	begin_pool(&pool, self->idle, 4);
	ASSERT_EQ(nap_pool_prewarm(&pool, 4), 0);
	nr_others = 3;
	expect_all_parts(_metadata, NULL);
}

TEST_F(under, a_loop_with_owners_may_fork)
{
	static struct nap_owners owners;

	begin_pool(&pool, self->idle, 2);
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	expect_all_parts(_metadata, &owners);
}

static int add_and_fork(size_t begin, size_t end, void *sum, void *unused)
{
	*(long *)sum += (long)(end - begin);
	return fork_in_part(begin, end, unused);
}

static void add_up(void *sum, const void *right, void *unused)
{
	(void)unused;
	*(long *)sum += *(const long *)right;
}

/* In the child, the forking thread makes the scan's second pass alone. */
TEST_F(under, a_scan_may_fork)
{
	const struct nap_reduction by = { sizeof(long), add_and_fork, add_up, NULL };
	const struct nap_loop how = { .grain = 1 };
	int err, status = -1;
	long sum = 0;

	begin_pool(&pool, self->idle, 2);
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	is_looper = true;
	err = nap_scan(&pool, &how, 0, PARTS, &by, add_and_fork, &sum, NULL);
	if (child == 0)
		quick_exit(err || sum != PARTS ? 2 : 0);
	EXPECT_EQ(err, 0);
	EXPECT_EQ(sum, PARTS);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
