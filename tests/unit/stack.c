/* SPDX-License-Identifier: MIT */
/*
 * How much of its stack a thread has used before it calls nap: with a stack of known size, and of
 * unknown size.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "os/os.h"
#include "pool_fixture.h"
#include "worker/nest.h"
#include "worker/self.h"
#include "wrap.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);

/* Errors that the libc's calls return; 0: the call works. */
static int getattr_err, getstack_err;
/* pthread attributes that were not destroyed, and may have memory */
static uint32_t nr_attributes;
static bool only_own;			/* the libc refuses questions about other threads */
static __thread unsigned nr_asked;

WRAP(int, pthread_getattr_np, (pthread_t thread, pthread_attr_t *attr))
{
	nr_asked++;
	if (getattr_err || (only_own && !pthread_equal(thread, pthread_self())))
		return getattr_err ? getattr_err : EPERM;
	nap_fetch_add_relaxed(&nr_attributes, 1);
	return __real_pthread_getattr_np(thread, attr);
}

WRAP(int, pthread_attr_destroy, (pthread_attr_t *attr))
{
	nap_fetch_sub_relaxed(&nr_attributes, 1);
	return __real_pthread_attr_destroy(attr);
}

WRAP(int, pthread_attr_getstack, (const pthread_attr_t *attr, void **stack, size_t *size))
{
	return getstack_err ? getstack_err : __real_pthread_attr_getstack(attr, stack, size);
}

/* Each link schedules the next link, and runs it nested as long as the pool permits. */
#define LINKS 2000
static struct nap_task links[LINKS];
static unsigned begun, depth, deepest;

static void run_link(struct nap_task *task)
{
	(void)task;
	if (++begun < LINKS && nap_schedule(&pool, &links[begun]))
		abort();
	if (++depth > deepest)
		deepest = depth;
	nap_pool_help(&pool, 1);
	depth--;
}

/* Checks the nesting in a thread whose libc knows its stack. */
static void *expect_bounded_nesting(void *metadata)
{
	struct __test_metadata *_metadata = metadata;
	char here;
	uintptr_t half = nap__os_stack_half();

	EXPECT_LT(half, (uintptr_t)&here);
	EXPECT_GT(half, (uintptr_t)&here - (64 << 10));
	begun = deepest = 0;
	for (int i = 0; i < LINKS; i++)
		nap_task_init(&links[i], run_link);
	EXPECT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }), 0);
	EXPECT_EQ(nap_schedule(&pool, &links[0]), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(begun, LINKS);
	EXPECT_GT(deepest, 1);
	EXPECT_LT(deepest, LINKS);
	return NULL;
}

static void in_a_thread(void *(*run)(void *arg), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, arg) || pthread_join(thread, NULL))
		abort();
}

TEST(where_the_stack_is_not_known_little_is_counted_on)
{
	getstack_err = EINVAL;
	in_a_thread(expect_bounded_nesting, _metadata);
	getattr_err = ENOMEM;
	in_a_thread(expect_bounded_nesting, _metadata);
}

static void *ask_where_it_is(void *metadata)
{
	struct __test_metadata *_metadata = metadata;

	nap_store_relaxed(&nr_attributes, 0);
	nap__os_stack_half();
	EXPECT_EQ(nr_attributes, 0);
	getstack_err = EINVAL;
	nap__os_stack_half();
	EXPECT_EQ(nr_attributes, 0);
	return NULL;
}

/* Returns where the calling thread's stack begins; the libc is right about this. */
static uintptr_t stack_top(void)
{
	pthread_attr_t attr;
	void *stack;
	size_t size;

	if (__real_pthread_getattr_np(pthread_self(), &attr) ||
	    __real_pthread_attr_getstack(&attr, &stack, &size))
		abort();
	pthread_attr_destroy(&attr);
	return (uintptr_t)stack + size;
}

#define NEAR ((uintptr_t)64 << 10)	/* the largest size of a page */

/* A worker's task notes how often its thread had asked the libc, and where half of its stack is. */
static unsigned asked_by_worker;
static uintptr_t half_of_worker, top_of_worker;
static uint32_t has_waited;

static void wait_in_worker(struct nap_task *task)
{
	(void)task;
	if (!may_nest())
		abort();
	asked_by_worker = nr_asked;
	half_of_worker = nap__self()->stack_half;
	top_of_worker = stack_top();
	nap_store_release(&has_waited, true);
}

static void run_one_wait(struct __test_metadata *_metadata)
{
	struct nap_task task;

	nap_task_init(&task, wait_in_worker);
	EXPECT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1,
							     .stack_size = 8 << 20 }), 0);
	has_waited = false;
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	/* If this thread joined now, it might run the task itself. */
	while (!nap_load_acquire(&has_waited))
		sched_yield();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_LT(half_of_worker, top_of_worker - (4 << 20) + NEAR);
	EXPECT_GT(half_of_worker, top_of_worker - (4 << 20) - NEAR);
}

/*
 * The worker gets the address of its stack from its starter, and does not ask the libc for it. The
 * libc's answer would need memory: an arena of the worker's own, which costs every idle worker a
 * page.
 */
TEST(a_worker_has_its_stack_from_its_starter)
{
	run_one_wait(_metadata);
	EXPECT_EQ(asked_by_worker, 0);
	only_own = true;
	run_one_wait(_metadata);
	EXPECT_EQ(asked_by_worker, 1);
}

TEST(what_the_libc_says_is_given_back)
{
	in_a_thread(ask_where_it_is, _metadata);
}

/*
 * The libc knows only the touched part of the first thread's stack (musl), or nothing (glibc
 * without /proc).
 */
TEST(the_first_thread_has_the_stack_that_it_may_grow_to)
{
	static const rlim_t limits[] = { 1 << 20, 8 << 20, 32 << 20, 1 << 30, RLIM_INFINITY };
	struct rlimit usual, limit;

	getattr_err = ENOSYS;
	ASSERT_EQ(getrlimit(RLIMIT_STACK, &usual), 0);
	for (unsigned i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		uintptr_t half, size;

		limit = (struct rlimit){ limits[i], usual.rlim_max };
		if (limits[i] > usual.rlim_max || setrlimit(RLIMIT_STACK, &limit) ||
		    getrlimit(RLIMIT_STACK, &limit))
			continue;
		size = limit.rlim_cur < 64 << 20 ? (uintptr_t)limit.rlim_cur : 64 << 20;
		half = nap__os_stack_half();
		EXPECT_LT(half, stack_top() - size / 2 + NEAR);
		EXPECT_GT(half, stack_top() - size / 2 - NEAR);
	}
}

static void *fork_here(void *status)
{
	char here;
	pid_t child = fork();

	if (child == 0) {
		uintptr_t half = nap__os_stack_half();

		_exit(half < (uintptr_t)&here && half > stack_top() - (8 << 20) ? 7 : 1);
	}
	waitpid(child, status, 0);
	return NULL;
}

/* The child's thread id is its process id, but its stack is not that of a first thread. */
TEST(the_first_thread_of_a_child_has_the_stack_that_it_had)
{
	int status = 0;

	in_a_thread(fork_here, &status);
	EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

TEST_HARNESS_MAIN
