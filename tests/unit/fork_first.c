/* SPDX-License-Identifier: MIT */
/*
 * At its first call in a process, nap registers with the libc, for forks and for the ends of
 * threads. Here another thread is in the middle of this first call when the process forks. The
 * child does not have that thread, and must not wait for it.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

#include "pool_fixture.h"
#include "watchdog.h"
#include "wrap.h"

static uint32_t begun, go_on;

/* Holds up the first thread that comes here. */
static void stay(void)
{
	static uint32_t came;

	if (nap_fetch_add_relaxed(&came, 1))
		return;
	flag_set(&begun);
	flag_wait(&go_on);
}

static bool stays_before_fork, stays_before_key;
WRAP(int, pthread_atfork, (void (*prepare)(void), void (*parent)(void), void (*child)(void)))
{
	if (stays_before_fork)
		stay();
	return __real_pthread_atfork(prepare, parent, child);
}

WRAP(int, pthread_key_create, (pthread_key_t *key, void (*destructor)(void *)))
{
	if (stays_before_key)
		stay();
	return __real_pthread_key_create(key, destructor);
}

/* Enters a pool that has nothing to do, and leaves it. */
static int use_nap(void)
{
	struct nap_pool unused = NAP_POOL_INIT(0);
	struct nap_group group = NAP_GROUP_INIT(NULL);

	nap_group_add(&group, 1);
	return nap_pool_join(&unused, NULL) || nap_group_wait_for(&group, 1) != -ETIMEDOUT;
}

static void *use_first(void *unused)
{
	(void)unused;
	return use_nap() ? &begun : NULL;
}

static void expect_child_uses(struct __test_metadata *_metadata)
{
	pthread_t first;
	void *failed;
	pid_t child;
	int status;

	signal(SIGALRM, watchdog_bark);
	alarm(watchdog_seconds());
	ASSERT_EQ(pthread_create(&first, NULL, use_first, NULL), 0);
	flag_wait(&begun);
	child = fork();
	ASSERT_TRUE(child >= 0);
	if (child == 0) {
		/* The watchdog's handler does not run in the child. */
		signal(SIGALRM, SIG_DFL);
		alarm(watchdog_seconds() / 3);
		_exit(use_nap());
	}
	EXPECT_EQ(waitpid(child, &status, 0), child);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 0);
	flag_set(&go_on);
	pthread_join(first, &failed);
	EXPECT_TRUE(!failed);
	EXPECT_EQ(use_nap(), 0);
}

TEST(while_nap_asks_to_be_told_of_forks)
{
	stays_before_fork = true;
	expect_child_uses(_metadata);
}

TEST(while_nap_asks_to_be_told_of_the_ends_of_threads)
{
	stays_before_key = true;
	expect_child_uses(_metadata);
}

TEST_HARNESS_MAIN
