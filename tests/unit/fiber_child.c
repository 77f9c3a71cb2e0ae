/* SPDX-License-Identifier: MIT */
/* Fibers, and the child of a fork. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nap/fiber.h>
#include <nap/nap.h>

#include "arch/atomic.h"
#include "child_threads.h"
#include "fiber_fixture.h"
#include "harness.h"

static int use_in_child(struct nap_fiber *fiber)
{
	struct nap_fiber *again;
	intptr_t result = 0;
	uint64_t id = nap_fiber_id(fiber);

	if (nap_await(fiber, NULL) != -ESHUTDOWN ||
	    nap_spawn(&pool, NULL, number, NULL) != -ESHUTDOWN)
		return 1;
	if (nap_pool_init_child(&pool))
		return 2;
	if (nap_spawn(&pool, &again, number, (void *)5))
		return 3;
	/* The fiber is on the same stack as that of the parent. */
	if (nap_fiber_id(again) == id || nap_fiber_cancel_id(&pool, id) != -ESRCH)
		return 4;
	if (nap_await(again, &result) || result != 5)
		return 5;
	return nap_pool_join(&pool, NULL) ? 6 : 0;
}

static int exit_code(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(the_child_of_a_fork_begins_anew)
{
	struct nap_fiber *fiber;
	pid_t child;

	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, &fiber, waits, NULL), 0);
	until_waiting(1);
	child = fork();
	if (child == 0) {
		in_child = true;
		_exit(use_in_child(fiber));
	}
	EXPECT_EQ(exit_code(child), 0);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_await(fiber, NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static intptr_t forks(void *arg)
{
	pid_t child = fork();

	(void)arg;
	if (child == 0) {
		bool refused = nap_group_wait(&never) == -ESHUTDOWN &&
			       nap_spawn(&pool, NULL, number, NULL) == -ESHUTDOWN;

		nap_yield();
		_exit(refused && nap_pool_init_child(&pool) == -EDEADLK ? 7 : 8);
	}
	return exit_code(child);
}

TEST(a_fiber_forks)
{
	struct nap_fiber *fiber;
	intptr_t result = 0;

	begin_waiting(&pool);
	ASSERT_EQ(nap_spawn(&pool, &fiber, forks, NULL), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 7);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
