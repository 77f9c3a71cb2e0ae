/* SPDX-License-Identifier: MIT */
/*
 * Numbers at their edges that callers can see: timeouts near the end of time, a group with as many
 * members as it can count, 2^32 failed starts, 2^31 calls inside a pool, and the 2^32nd process in
 * a line of forks.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

#include "os/futex.h"
#include "os/os.h"
#include "sync/gate.h"
#include "wait/group.h"
#include "fault/report.h"
#include "pool_fixture.h"
#include "watchdog.h"
#include "wrap.h"

/* No spinning: it would measure how long a sleep takes, and some sleeps here end at once. */
static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1, .spin_us = NAP_NO_SPIN);
static bool no_threads;

WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	return no_threads ? -EAGAIN : __real_nap__os_thread_start(worker, stack_size);
}

/*
 * How many sleeps there were; how many of them the kernel ended early, or refused, because of the
 * timeout.
 */
static unsigned long sleeps, early;

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	int err = __real_nap__futex_wait(word, expected, deadline);

	nap_fetch_add_relaxed(&sleeps, 1);
	nap_fetch_add_relaxed(&early, err == -ETIMEDOUT || err == -EINVAL);
	return err;
}

/* ---- timeouts that are practically for ever, also when the present time is added */

#define SECOND 1000000000u

static const uint64_t timeouts[] = {
	INT64_MAX - 1, INT64_MAX, (uint64_t)INT64_MAX + 1, INT64_MAX / SECOND * (uint64_t)SECOND,
	UINT64_MAX / SECOND * SECOND, UINT64_MAX / SECOND * SECOND - 1, UINT64_MAX - 1, UINT64_MAX,
	(uint64_t)INT32_MAX * SECOND, (uint64_t)UINT32_MAX * SECOND,
};
#define NR_TIMEOUTS (sizeof(timeouts) / sizeof(timeouts[0]))

/* Returns timeout number @i. The last NR_NEAR_END ones have deadlines at the very end of time. */
#define NR_NEAR_END 3
static uint64_t timeout(size_t i)
{
	return i < NR_TIMEOUTS ? timeouts[i] :
	       UINT64_MAX - nap__os_now() - 1000000 + (i - NR_TIMEOUTS) * 1000000;
}

static struct nap_group group;
static uint64_t wait_time;
static int result;

static void *wait_outside(void *unused)
{
	(void)unused;
	result = nap_group_wait_for(&group, wait_time);
	return NULL;
}

static void wait_in_task(struct nap_task *task)
{
	result = nap_group_wait_for(&group, wait_time);
	count_run(task);
}

static void *wait_for_quiet(void *unused)
{
	(void)unused;
	result = nap_pool_quiesce_for(&pool, wait_time);
	return NULL;
}

/*
 * Waits until the waiter is counted, and probably sleeps. The test also passes if the waiter does
 * not sleep yet.
 */
static void await_waiter(void)
{
	while (nap_load_relaxed(&group.state) >> 32 != 1)
		sched_yield();
	usleep(2000);
}

TEST(outside_a_wait_does_not_end_before_its_time)
{
	watchdog(&pool, 0);
	for (size_t i = 0; i < NR_TIMEOUTS + NR_NEAR_END; i++) {
		pthread_t thread;

		wait_time = timeout(i);
		nap_group_init(&group, i % 2 ? &pool : NULL);
		nap_group_add(&group, 1);
		ASSERT_EQ(pthread_create(&thread, NULL, wait_outside, NULL), 0);
		await_waiter();
		ASSERT_EQ(nap_group_done(&group), 0);
		pthread_join(thread, NULL);
		EXPECT_EQ(result, 0);
	}
	EXPECT_GT(sleeps, 0);
	EXPECT_LE(sleeps, 10 * (NR_TIMEOUTS + NR_NEAR_END));
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(early, 0);
}

TEST(on_a_worker_a_wait_does_not_end_before_its_time)
{
	unsigned long n = NR_TIMEOUTS + NR_NEAR_END;

	watchdog(&pool, 0);
	for (size_t i = 0; i < n; i++) {
		struct nap_task task = NAP_TASK_INIT(wait_in_task);

		wait_time = timeout(i);
		nap_group_init(&group, i % 2 ? &pool : NULL);
		nap_group_add(&group, 1);
		ASSERT_EQ(nap_schedule(&pool, &task), 0);
		await_waiter();
		ASSERT_EQ(nap_group_done(&group), 0);
		ASSERT_EQ(nap_pool_quiesce(&pool), 0);
		EXPECT_EQ(result, 0);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(early, 0);
	fault_report("waits that may take for ever", n, n, nr_run);
}

TEST(a_quiesce_does_not_end_before_its_time)
{
	unsigned long n = NR_TIMEOUTS + NR_NEAR_END;

	watchdog(&pool, 0);
	for (size_t i = 0; i < n; i++) {
		struct blocker blocker = BLOCKER_INIT;
		pthread_t thread;

		wait_time = timeout(i);
		ASSERT_EQ(nap_schedule(&pool, &blocker.task), 0);
		flag_wait(&blocker.running);
		ASSERT_EQ(pthread_create(&thread, NULL, wait_for_quiet, NULL), 0);
		usleep(2000);
		flag_set(&blocker.let_go);
		pthread_join(thread, NULL);
		EXPECT_EQ(result, 0);
		ASSERT_EQ(nap_load_relaxed(&nr_run), i + 1);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(early, 0);
	fault_report("quiesces that may take for ever", n, n, nr_run);
}

/* ---- a group with as many members as it can count */

TEST(a_full_group_under_waiters)
{
	uint32_t most = INT32_MAX;
	pthread_t thread;

	watchdog(&pool, 0);
	nap_group_init(&group, NULL);
	ASSERT_EQ(nap_group_add(&group, most - 2), 0);
	ASSERT_EQ(nap_group_add(&group, 3), -EOVERFLOW);
	ASSERT_EQ(nap_group_add(&group, 2), 0);
	wait_time = NAP_FOREVER;
	ASSERT_EQ(pthread_create(&thread, NULL, wait_outside, NULL), 0);
	await_waiter();
	EXPECT_EQ(nap_group_wait_for(&group, 1000000), -ETIMEDOUT);
	EXPECT_EQ(nap_group_add(&group, 1), -EOVERFLOW);
	EXPECT_EQ(nap_group_add(&group, UINT32_MAX), -EOVERFLOW);
	EXPECT_EQ(nap_group_add(&group, 0), 0);
	EXPECT_EQ(nap_load_relaxed(&group.state), GROUP_WAITER_ONE + most);
	EXPECT_EQ(nap_group_done(&group), 0);
	EXPECT_EQ(nap_group_add(&group, 2), -EOVERFLOW);
	EXPECT_EQ(nap_group_add(&group, 1), 0);
	EXPECT_EQ(nap_load_relaxed(&group.state), GROUP_WAITER_ONE + most);
	/* Takes away all members except one. */
	nap_fetch_sub_relaxed(&group.state, most - 1);
	EXPECT_EQ(nap_group_wait_for(&group, 0), -ETIMEDOUT);
	EXPECT_EQ(nap_group_done(&group), 0);
	pthread_join(thread, NULL);
	EXPECT_EQ(result, 0);
	EXPECT_EQ(nap_group_done(&group), -EINVAL);
}

/* The group counts as many waiters as there can be threads. One more waiter comes, and gives up. */
TEST(more_waiters_than_there_can_be)
{
	uint64_t state = (uint64_t)(UINT32_MAX - 1) << 32 | INT32_MAX;

	watchdog(&pool, 0);
	nap_group_init(&group, NULL);
	group.state = state;
	EXPECT_TRUE(group_count_waiter(&group));
	EXPECT_EQ(group.state, state + GROUP_WAITER_ONE);
	EXPECT_TRUE(group_uncount_waiter(&group));
	EXPECT_EQ(nap_group_wait_for(&group, 1000000), -ETIMEDOUT);
	EXPECT_EQ(group.state, state);
}

/* ---- failed starts, and calls inside a pool */

TEST(failures_are_counted_past_the_edge)
{
	struct nap_task tasks[3] = {
		NAP_TASK_INIT(count_run), NAP_TASK_INIT(count_run), NAP_TASK_INIT(count_run) };
	struct nap_pool_stats stats;

	watchdog(&pool, 0);
	pool.spawn_failures = UINT32_MAX;
	no_threads = true;
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(nap_schedule(&pool, &tasks[i]), 0);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.spawn_failures, 2);
	EXPECT_EQ(stats.spawn_last_errno, EAGAIN);
	EXPECT_EQ(stats.spawned, 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	fault_report("failed starts that pass 2^32", 3, 3, nr_run);
}

TEST(as_many_calls_inside_as_a_gate_can_count)
{
	struct nap_task task = NAP_TASK_INIT(count_run);
	uint32_t crowded = UINT32_MAX - GATE_CLOSED - GATE_ONE;

	watchdog(&pool, 0);
	pool.intake = pool.visits = crowded;
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(pool.intake, crowded);
	EXPECT_EQ(pool.visits, crowded);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_schedule(&pool, &task), -ESHUTDOWN);
	EXPECT_EQ(pool.intake, crowded + GATE_CLOSED);
	pool.intake = GATE_CLOSED;
	pool.visits = 0;
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	fault_report("gates as crowded as can be", 2, 1, nr_run);
}

/* ---- a long line of forks */

static int exit_of(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs in a child whose parent has used @used: @used refuses calls, and @fresh works. */
static int be_child(struct nap_pool *used, struct nap_pool *fresh)
{
	struct nap_task task = NAP_TASK_INIT(count_run);

	alarm(watchdog_seconds());
	if (nap_schedule(used, &task) != -ESHUTDOWN || nap_pool_join(used, NULL) != -ESHUTDOWN)
		return 1;
	return nap_pool_prewarm(fresh, 0) ? 2 : 0;
}

TEST(the_last_number_of_a_process_and_the_first)
{
	static struct nap_pool second, third;
	pid_t child;

	watchdog(&pool, 0);
	nap__os_init();
	nap__fork_last = nap__fork_gen = UINT32_MAX;
	ASSERT_EQ(nap_pool_prewarm(&pool, 0), 0);
	child = fork();
	if (child == 0) {
		int err = be_child(&pool, &second);

		if (!err && (child = fork()) == 0)
			_exit(be_child(&second, &third));
		_exit(err ? err : 10 + exit_of(child));
	}
	EXPECT_EQ(exit_of(child), 10);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
