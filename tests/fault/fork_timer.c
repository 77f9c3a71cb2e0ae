/* SPDX-License-Identifier: MIT */
/*
 * A timer's task forks, and returns in both processes. At the fork another thread may hold the lock
 * of the pool's timers; the child does not have this thread.
 */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nap/async.h>
#include <nap/nap.h>

#include "arch/atomic.h"
#include "async/timer/timers.h"
#include "sync/lock.h"
#include "async/async.h"
#include "harness.h"
#include "watchdog.h"

static struct nap_pool pool = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);
static bool has_forked;
static pid_t child;

/* Forks. In the child the lock is then held, as if by another thread. */
static void forks(struct nap_task *task)
{
	struct nap__timers *timers = &pool_async(&pool)->timers;

	(void)task;
	lock_take(&timers->lock);
	child = fork();
	has_forked = true;
	if (child)
		lock_give(&timers->lock);
	else
		alarm(20);	/* the child has no watchdog */
}

/* Runs the forking task on the calling thread. The child returns from this function, too. */
static void fork_in_task(struct __test_metadata *_metadata, uint64_t period)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_timer timer;
	int err, status;

	watchdog(&pool, 0);
	has_forked = false;
	nap_pool_init(&pool, &pool.config);
	nap_timer_init(&timer, forks);
	if (period)
		err = nap_schedule_every(&pool, &timer, 0, period);
	else
		err = nap_schedule_after(&pool, &timer, 0);
	ASSERT_EQ(err, 0);
	while (!has_forked)
		nap_pool_help(&pool, 0);
	if (!child)
		_exit(nap_timer_cancel(&timer) == -EALREADY ? 42 : 1);
	ASSERT_GT(child, 0);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 42);
	nap_pool_shutdown(&pool, NAP_STOP);
	ASSERT_EQ(nap_pool_join(&pool, &left), 0);
}

TEST(of_one_that_is_due_once)
{
	fork_in_task(_metadata, 0);
}

TEST(of_one_that_is_armed_again)
{
	fork_in_task(_metadata, 3600000000000u);
}

TEST_HARNESS_MAIN
