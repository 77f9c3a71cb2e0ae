/* SPDX-License-Identifier: MIT */
/*
 * Children in which nap's pthread_atfork() handler has not run: they are made without the libc, or
 * a handler that runs before nap's uses nap. nap must find out by itself that it is in a child.
 * (Not under qemu-user, which wipes no page: there nap needs its handler.)
 */
#include <sched.h>
#include <sys/syscall.h>

#include "fault/fork.h"

/* The child uses @second, which is dead in the grandchild. The grandchild uses @third. */
static struct nap_pool second = NAP_POOL_INIT(.max_workers = 1);
static struct nap_pool third = NAP_POOL_INIT(.max_workers = 1);

static pid_t clone_raw(void)
{
	/* The order of the arguments depends on the machine; all except the first are 0. */
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void use(struct nap_pool *p)
{
	struct nap_task task = NAP_TASK_INIT(count_run);

	if (nap_schedule(p, &task) || nap_pool_quiesce(p))
		abort();
}

/* Checks that every call on @dead that could hang is refused, and that @unused works. */
static void expect_refused(struct nap_pool *dead, struct nap_pool *unused)
{
	struct nap_task task = NAP_TASK_INIT(count_run);

	set_alarm();
	CHECK(nap_worker_self() == NULL);
	CHECK(nap_schedule(dead, &task) == -ESHUTDOWN && task.run == count_run);
	CHECK(nap_pool_quiesce(dead) == -ESHUTDOWN);
	CHECK(nap_pool_join(dead, NULL) == -ESHUTDOWN);
	CHECK(nap_pool_prewarm(unused, 0) == 0);
}

static void expect_success(struct __test_metadata *_metadata, pid_t child)
{
	int status = -1;

	ASSERT_GT(child, 0);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(told->line, 0);
}

#ifdef NAP_TEST_EMULATED
#define SKIP_WHERE_NOTHING_IS_WIPED SKIP(return, "qemu-user wipes no page (MADV_WIPEONFORK)")
#else
#define SKIP_WHERE_NOTHING_IS_WIPED
#endif

/*
 * Makes a child by @first, and in the child a grandchild by @next. The child makes a pool of its
 * own, which is dead in the grandchild.
 */
static void family(struct __test_metadata *_metadata, pid_t (*first)(void), pid_t (*next)(void))
{
	pid_t child;

	begin_telling();
	use(&pool);
	child = first();
	if (child == 0) {
		pid_t grandchild;
		int status;

		expect_refused(&pool, &second);
		grandchild = next();
		if (grandchild == 0) {
			expect_refused(&pool, &third);
			expect_refused(&second, &third);
			_exit(0);
		}
		CHECK(waitpid(grandchild, &status, 0) == grandchild && status == 0);
		/* The child's own pool still works. */
		CHECK(nap_pool_prewarm(&second, 0) == 0);
		_exit(0);
	}
	expect_success(_metadata, child);
	use(&pool);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_child_of_a_raw_clone)
{
	SKIP_WHERE_NOTHING_IS_WIPED;
	family(_metadata, clone_raw, clone_raw);
}

TEST(a_child_of_fork_whose_child_is_of_a_raw_clone)
{
	SKIP_WHERE_NOTHING_IS_WIPED;
	family(_metadata, fork, clone_raw);
}

TEST(a_child_of_a_raw_clone_whose_child_is_of_fork)
{
	SKIP_WHERE_NOTHING_IS_WIPED;
	family(_metadata, clone_raw, fork);
}

/* _Fork() calls no handlers; POSIX lets a child call it from a signal handler. */
TEST(a_child_of_the_fork_that_calls_no_handlers)
{
	SKIP_WHERE_NOTHING_IS_WIPED;
	family(_metadata, _Fork, _Fork);
}

/* ---- forks on a worker, whose thread is no worker in the child */

static void clone_on_worker(struct nap_task *task)
{
	pid_t child = clone_raw();
	int status;

	(void)task;
	if (child == 0) {
		expect_refused(&pool, &second);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(nap_worker_self() != NULL);
	nap_fetch_add_release(&told->children, 1);
}

TEST(a_raw_clone_by_a_task)
{
	struct nap_task task = NAP_TASK_INIT(clone_on_worker);

	SKIP_WHERE_NOTHING_IS_WIPED;
	begin_telling();
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(told->line, 0);
	EXPECT_EQ(told->children, 1);
}

/* ---- a child handler that was registered first runs before nap's */

static bool handler_asks;

static void early_handler(void)
{
	if (handler_asks)
		expect_refused(&pool, &second);
}

TEST(a_handler_that_runs_before_nap_has_been_told)
{
	struct nap_task task = NAP_TASK_INIT(count_run);
	pid_t child;

	SKIP_WHERE_NOTHING_IS_WIPED;
	begin_telling();
	ASSERT_EQ(pthread_atfork(NULL, NULL, early_handler), 0);
	handler_asks = true;
	use(&pool);
	child = fork();
	if (child == 0) {
		/* The handler has begun to use this pool in the child, so it is the child's. */
		CHECK(nap_pool_prewarm(&second, 0) == 0);
		CHECK(nap_schedule(&pool, &task) == -ESHUTDOWN);
		_exit(0);
	}
	expect_success(_metadata, child);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * ---- a process that shares the memory with its parent: it may use the parent's pool, and is no
 * child to the pool
 */

static int in_shared_memory(void *unused)
{
	(void)unused;
	return nap_pool_prewarm(&pool, 0) ? 1 : 0;
}

TEST(a_clone_that_shares_the_memory_is_no_child)
{
	static char stack[65536] __attribute__((aligned(64)));
	pid_t child;

#if defined(NAP_TEST_EMULATED) || defined(NAP_TEST_TSAN)
	SKIP(return, "clone(2) with CLONE_VM alone");
#endif
	begin_telling();
	use(&pool);
	child = clone(in_shared_memory, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD,
		      NULL);
	expect_success(_metadata, child);
	use(&pool);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * A child that was forked in a task makes a new pool at the address of the parent's pool. The
 * child's thread is no worker of this pool.
 */
static pid_t (*fork_in_task)(void);
static pid_t forked_in_task;

static void make_another_there(void)
{
	struct nap_task task = NAP_TASK_INIT(count_run);

	set_alarm();
	nr_run = 0;
	memset(&pool, 0, sizeof(pool));
	CHECK(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }) == 0);
	if (fork_in_task == fork)
		CHECK(nap_pool_prewarm(&pool, 1) == 0);
	CHECK(nap_schedule(&pool, &task) == 0);
	CHECK(nap_pool_join_for(&pool, NULL, NS_PER_S * (uint64_t)WATCHDOG_SECONDS) == 0);
	CHECK(nr_run == 1);
}

static void fork_and_make_another(struct nap_task *task)
{
	count_run(task);
	forked_in_task = fork_in_task();
	if (forked_in_task == 0) {
		make_another_there();
		_exit(0);
	}
}

static void another_pool_there(struct __test_metadata *_metadata, pid_t (*how)(void))
{
	struct nap_task task = NAP_TASK_INIT(fork_and_make_another);

	begin_telling();
	fork_in_task = how;
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	expect_success(_metadata, forked_in_task);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * ThreadSanitizer reports a race between the child and a thread of the parent that has read just
 * before the fork. The child does not have this thread.
 */
#ifdef NAP_TEST_TSAN
#define SKIP_WHERE_THREADS_STAY SKIP(return, "ThreadSanitizer's child knows the parent's threads")
#else
#define SKIP_WHERE_THREADS_STAY
#endif

TEST(another_pool_lies_there_in_a_child)
{
	SKIP_WHERE_THREADS_STAY;
	another_pool_there(_metadata, fork);
}

TEST(another_pool_lies_there_in_a_raw_child)
{
	SKIP_WHERE_THREADS_STAY;
	SKIP_WHERE_NOTHING_IS_WIPED;
	another_pool_there(_metadata, clone_raw);
}

TEST_HARNESS_MAIN
