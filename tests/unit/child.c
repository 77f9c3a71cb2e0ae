/* SPDX-License-Identifier: MIT */
/* nap_pool_init_child(): refusals, the state that it keeps, and the memory that it unmaps. */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

#include "arch/syscall.h"
#include "worker/registry.h"
#include "call_fixture.h"
#include "child_threads.h"

#define CHECK(cond) \
	do { \
		if (!(cond)) \
			_exit(__LINE__ % 251 + 1); \
	} while (0)

static void use(struct nap_pool *p)
{
	struct nap_task task = NAP_TASK_INIT(count_run);
	unsigned long before = nap_load_relaxed(&nr_run);

	CHECK(nap_schedule(p, &task) == 0);
	CHECK(nap_pool_quiesce(p) == 0);
	CHECK(nap_load_relaxed(&nr_run) == before + 1);
}

static void use_in_child(struct nap_pool *p)
{
	long result = 0;

	use(p);
	CHECK(nap_call(p, call_fib, &result) == 0 && result == FIB_15);
	CHECK(nap_pool_join(p, NULL) == 0);
}

static void expect_success(struct __test_metadata *_metadata, pid_t child)
{
	int status = -1;

	ASSERT_GT(child, 0);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 0);
}

static pid_t fork_with_alarm(void)
{
	pid_t child = fork();

	if (child == 0) {
		in_child = true;
		alarm(watchdog_seconds());
	}
	return child;
}

/*
 * The child can free a pool of nap_pool_new() when the pool was joined: by the parent before the
 * fork, or by the child.
 */
TEST_F(under, a_mapped_one_is_freed_in_the_child)
{
	struct nap_pool *used, *joined;
	pid_t child;

	ASSERT_EQ(nap_pool_new(&used, &(struct nap_config){ .idle = self->idle }), 0);
	ASSERT_EQ(nap_pool_new(&joined, &(struct nap_config){ .idle = self->idle }), 0);
	use(used);
	use(joined);
	EXPECT_EQ(nap_pool_join(joined, NULL), 0);
	child = fork_with_alarm();
	if (child == 0) {
		CHECK(nap_pool_free(joined) == 0);
		CHECK(nap_pool_free(used) == -EBUSY);
		CHECK(nap_pool_init_child(used) == 0);
		use(used);
		CHECK(nap_pool_join(used, NULL) == 0 && nap_pool_free(used) == 0);
		_exit(0);
	}
	expect_success(_metadata, child);
	EXPECT_EQ(nap_pool_free(joined), 0);
	EXPECT_EQ(nap_pool_join(used, NULL), 0);
	EXPECT_EQ(nap_pool_free(used), 0);
}

TEST_F(under, only_in_a_child_and_only_a_pool)
{
	static struct nap_pool unused;

	begin_pool(&pool, self->idle, 2);
	EXPECT_EQ(nap_pool_init_child(NULL), -EINVAL);
	EXPECT_EQ(nap_pool_init_child((struct nap_pool *)(void *)((char *)&pool + 8)), -EINVAL);
	EXPECT_EQ(nap_pool_init_child(&pool), 0);
	use(&pool);
	EXPECT_EQ(nap_pool_init_child(&pool), -EBUSY);
	use(&pool);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_init_child(&pool), -EBUSY);
	EXPECT_EQ(nap_pool_init_child(&unused), 0);
}

/*
 * ---- the child keeps the configuration, even one that nap_pool_init() would refuse; the counts
 * are 0
 */

TEST_F(under, what_is_kept)
{
	static struct nap_pool many = NAP_POOL_INIT(.max_workers = NAP_MAX_WORKERS + 5);
	const struct nap_config config = { .max_workers = 3, .idle = self->idle, .name = "kept",
					   .stack_size = 65536, .arg = &door };
	struct nap_pool_stats stats;
	pid_t child;

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	use(&pool);
	ASSERT_EQ(nap_pool_prewarm(&many, 1), 0);
	child = fork_with_alarm();
	if (child == 0) {
		CHECK(nap_pool_init_child(&pool) == 0);
		CHECK(!memcmp(&pool.config, &config, sizeof(config)));
		CHECK(nap_pool_get_stats(&pool, &stats) == 0);
		CHECK(stats.workers.run == 0 && stats.spawned == 0 && stats.max_workers == 3);
		CHECK(nap_pool_init_child(&pool) == 0);
		use_in_child(&pool);
		CHECK(nap_pool_init_child(&many) == 0);
		CHECK(many.config.max_workers == NAP_MAX_WORKERS + 5);
		/* The child's pool works without guest records. */
		use(&many);
		CHECK(nap_pool_join(&many, NULL) == 0);
		_exit(0);
	}
	expect_success(_metadata, child);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_join(&many, NULL), 0);
}

/* ---- a fork in each phase of the pool's life. Tasks that were queued stay the parent's */

static void init_and_use(struct __test_metadata *_metadata)
{
	pid_t child = fork_with_alarm();

	if (child == 0) {
		CHECK(nap_pool_init_child(&pool) == 0);
		use_in_child(&pool);
		_exit(0);
	}
	expect_success(_metadata, child);
}

TEST_F(under, in_every_phase)
{
	static struct nap_task queued;
	struct blocker blocker = BLOCKER_INIT;
	struct nap_batch left;
	pid_t child;

	begin_pool(&pool, self->idle, 1);
	ASSERT_EQ(nap_schedule(&pool, &blocker.task), 0);
	flag_wait(&blocker.running);
	nap_task_init(&queued, count_run);
	ASSERT_EQ(nap_schedule(&pool, &queued), 0);
	child = fork_with_alarm();
	if (child == 0) {
		CHECK(nap_pool_init_child(&pool) == 0);
		CHECK(nap_pool_quiesce(&pool) == 0 && nr_run == 0);
		nap_task_init(&queued, count_run);
		CHECK(nap_schedule(&pool, &queued) == 0);
		CHECK(nap_pool_quiesce(&pool) == 0 && nr_run == 1);
		_exit(0);
	}
	expect_success(_metadata, child);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	init_and_use(_metadata);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	init_and_use(_metadata);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	init_and_use(_metadata);
	EXPECT_EQ(nap_pool_join(&pool, &left), -EALREADY);
	EXPECT_EQ(left.count, 1);
}

/* ---- the child unmaps all memory of the workers */

static bool is_mapped(void *mem)
{
	return nap__syscall3(NAP__NR_mprotect, (long)mem, 1, 3 /* read, write */) != -ENOMEM;
}

TEST_F(under, what_is_unmapped)
{
	struct nap_worker *records;
	char *stacks[2] = { NULL, NULL };
	pid_t child;

	begin_pool(&pool, self->idle, 2);
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	records = pool.records;
#ifdef NAP_TEST_BARE
	for (int i = 0; i < 2; i++)
		stacks[i] = (char *)(registry_at(&pool, (uint32_t)i)->thread & ~65535ul);
#endif
	child = fork_with_alarm();
	if (child == 0) {
		CHECK(is_mapped(records));
		CHECK(!stacks[0] || (is_mapped(stacks[0]) && is_mapped(stacks[1])));
		CHECK(nap_pool_init_child(&pool) == 0);
		CHECK(!is_mapped(records));
		CHECK(!stacks[0] || (!is_mapped(stacks[0]) && !is_mapped(stacks[1])));
		use_in_child(&pool);
		_exit(0);
	}
	expect_success(_metadata, child);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- forks inside tasks and calls, also in children and grandchildren */

static pid_t child_of_task;

/* Forks in a call on @other, inside a task of @pool. The child returns from the call first. */
static void fork_in_other(struct nap_worker *worker, void *unused)
{
	(void)unused;
	child_of_task = fork_with_alarm();
	if (child_of_task)
		return;
	CHECK(nap_pool_init_child(&other) == -EDEADLK);
	CHECK(nap_pool_init_child(&pool) == -EDEADLK);
	/* The child forks a grandchild, which is inside the same call and task. */
	child_of_task = fork_with_alarm();
	if (child_of_task) {
		int status = -1;

		CHECK(waitpid(child_of_task, &status, 0) == child_of_task && status == 0);
		child_of_task = 0;
	}
	CHECK(nap_pool_init_child(&other) == -EDEADLK);
	CHECK(nap_pool_init_child(&pool) == -EDEADLK);
	CHECK(fib(worker, nap_top(worker), 10) == 55);
}

static void call_other(struct nap_task *task)
{
	(void)task;
	if (nap_call(&other, fork_in_other, NULL))
		abort();
	if (child_of_task)
		return;
	/* The child has left @other, and is still inside @pool. */
	CHECK(nap_pool_init_child(&other) == 0);
	CHECK(nap_pool_init_child(&pool) == -EDEADLK);
	use_in_child(&other);
}

TEST_F(under, from_within)
{
	struct nap_task task = NAP_TASK_INIT(call_other);
	struct blocker blocker = BLOCKER_INIT;
	pid_t parent = getpid();
	long helped;

	begin_pool(&pool, self->idle, 1);
	begin_pool(&other, self->idle, 1);
	/* The only worker is busy, so this thread helps and runs the task. */
	ASSERT_EQ(nap_schedule(&pool, &blocker.task), 0);
	flag_wait(&blocker.running);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	helped = nap_pool_help(&pool, 1);
	if (getpid() != parent) {
		CHECK(nap_pool_init_child(&pool) == 0);
		use_in_child(&pool);
		_exit(0);
	}
	EXPECT_EQ(helped, 1);
	expect_success(_metadata, child_of_task);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
}

TEST_HARNESS_MAIN
