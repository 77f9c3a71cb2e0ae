/* SPDX-License-Identifier: MIT */
/*
 * nap/dump.h: dumps of all pools on a signal, beside other handlers, in children, and while pools
 * come and go.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <nap/dump.h>

#include "pool_fixture.h"
#include "worker/pools.h"

static struct nap_pool one = NAP_POOL_INIT(.max_workers = 1, .name = "one");
static struct nap_pool two = NAP_POOL_INIT(.max_workers = 1, .name = "two");
static char text[1 << 16];
static int file;

static void open_file(void)
{
	file = memfd_create("dump", MFD_CLOEXEC);
}

/* How often @part was written since the last call with @anew set. */
static int said(const char *part, bool anew)
{
	int n = 0;

	if (anew) {
		ssize_t got = pread(file, text, sizeof(text) - 1, 0);

		text[got > 0 ? got : 0] = '\0';
		if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET))
			return -1;
	}
	for (const char *at = text; (at = strstr(at, part)); at++)
		n++;
	return n;
}

static void use(struct nap_pool *pool)
{
	nap_schedule(pool, new_task(count_and_free));
	nap_pool_quiesce(pool);
}

/* The file has the number 0, as if stdin had been closed. */
TEST(all_pools_and_no_others)
{
	close(STDIN_FILENO);
	open_file();
	EXPECT_EQ(file, 0);
	use(&one);
	EXPECT_EQ(nap_dump_on_signal(SIGUSR2, STDERR_FILENO), 0);
	EXPECT_EQ(nap_dump_on_signal(SIGUSR2, file), 0);
	use(&two);
	errno = 77;
	raise(SIGUSR2);
	EXPECT_EQ(errno, 77);
	EXPECT_EQ(said("\"one\" of process ", true), 1);
	EXPECT_EQ(said("\"two\" of process ", false), 1);
	EXPECT_EQ(said("worker 0: idle, 1 run\n", false), 2);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
	raise(SIGUSR2);
	EXPECT_EQ(said("\"one\" of process ", true), 0);
	EXPECT_EQ(said("\"two\" of process ", false), 1);
	EXPECT_EQ(nap_pools_dump(file), 0);
	EXPECT_EQ(said("\"two\" of process ", true), 1);
	EXPECT_EQ(nap_pools_dump(-1), -EBADF);
	EXPECT_EQ(nap_pool_join(&two, NULL), 0);
	EXPECT_EQ(nap_pools_dump(-1), 0);
}

/* Returns how many slots of the table have @pool. */
static int listed(struct nap_pool *pool)
{
	int n = 0;

	for (uint32_t i = 0; i < NAP_POOLS; i++)
		n += pool_in(nap_load_relaxed(&nap__pools[i])) == pool;
	return n;
}

/* The pools are listed as at their first use, but not used, so they have no threads. */
TEST(the_table_has_a_slot_for_each_of_its_pools)
{
	static struct nap_pool many[NAP_POOLS + 1];

	open_file();
	for (uint32_t i = 0; i <= NAP_POOLS; i++)
		pools_enter(&many[i]);
	for (uint32_t i = 0; i <= NAP_POOLS; i++) {
		EXPECT_EQ(listed(&many[i]), i < NAP_POOLS);
	}
	EXPECT_EQ(nap_pools_dump(file), 0);
	EXPECT_EQ(said(" was not used yet\n", true), (int)NAP_POOLS);
	/* A pool that had no slot gets one when another pool is taken out. */
	for (uint32_t i = NAP_POOLS + 1; i--;) {
		EXPECT_TRUE(pools_leave(&many[i]));
		pools_enter(&many[NAP_POOLS]);
		EXPECT_EQ(listed(&many[NAP_POOLS]), i < NAP_POOLS);
		EXPECT_TRUE(pools_leave(&many[NAP_POOLS]));
	}
	EXPECT_EQ(listed(NULL), (int)NAP_POOLS);
}

/* ---- other handlers */

static uint32_t nr_plain, nr_info;

static void plain(int signo)
{
	nr_plain += signo == SIGUSR2;
}

static void with_info(int signo, siginfo_t *info, void *context)
{
	nr_info += signo == SIGUSR2 && info->si_pid == getpid() && context;
}

TEST(an_earlier_handler)
{
	struct sigaction action = { .sa_handler = plain }, now;

	open_file();
	use(&one);
	sigaction(SIGUSR2, &action, NULL);
	EXPECT_EQ(nap_dump_on_signal(SIGUSR2, file), 0);
	EXPECT_EQ(nap_dump_on_signal(SIGUSR2, file), 0);
	raise(SIGUSR2);
	EXPECT_EQ(nr_plain, 1);
	EXPECT_EQ(said("end of pool\n", true), 1);
	sigaction(SIGUSR2, NULL, &now);
	EXPECT_EQ(now.sa_flags & (SA_RESTART | SA_ONSTACK), SA_RESTART | SA_ONSTACK);
	EXPECT_EQ(nap_dump_on_signal(SIGUSR1, file), -EBUSY);
	EXPECT_EQ(nap_dump_on_signal(SIGUSR2, -1), 0);
	EXPECT_EQ(nap_dump_on_signal(SIGUSR2, -1), -EALREADY);
	raise(SIGUSR2);
	EXPECT_EQ(nr_plain, 2);
	EXPECT_EQ(said("end of pool\n", true), 0);
	action = (struct sigaction){ .sa_sigaction = with_info, .sa_flags = SA_SIGINFO };
	sigaction(SIGUSR2, &action, NULL);
	EXPECT_EQ(nap_dump_on_signal(SIGUSR2, file), 0);
	raise(SIGUSR2);
	EXPECT_EQ(nr_info, 1);
	/* A handler that the program installs later stays. */
	sigaction(SIGUSR2, &action, NULL);
	EXPECT_EQ(nap_dump_on_signal(SIGUSR2, -1), -EBUSY);
	EXPECT_EQ(nap_dump_on_signal(SIGKILL, file), -EBUSY);
	EXPECT_EQ(nap_dump_on_signal(0, file), -EINVAL);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
}

TEST(a_signal_that_cannot_be_caught)
{
	errno = 77;
	EXPECT_EQ(nap_dump_on_signal(SIGKILL, 1), -EINVAL);
	EXPECT_EQ(errno, 77);
}

/* ---- children */

/* ThreadSanitizer delivers no signal in the child of a process of several threads. */
static void signal_self(void)
{
#ifdef NAP_TEST_TSAN
	nap_pools_dump(file);
#else
	raise(SIGUSR2);
#endif
}

static int in_child(void)
{
	signal_self();
	if (said(" is the parent's\n", true) != 1)
		return 1;
	if (nap_pool_init_child(&one))
		return 4;
	signal_self();
	if (said("nap: pool", true))
		return 2;
/*
 * In a child of a threaded process ThreadSanitizer takes a new thread for one of the parent's
 * threads, and an emulator starts no thread.
 */
#if defined(NAP_TEST_TSAN) || defined(NAP_TEST_EMULATED)
	return 0;
#endif
	use(&one);
	signal_self();
	return said("worker 0: idle, 1 run\n", true) == 1 && !nap_pool_join(&one, NULL) ? 0 : 3;
}

TEST(the_child_of_a_fork)
{
	int status = 1;
	pid_t child;

	open_file();
	use(&one);
	EXPECT_EQ(nap_dump_on_signal(SIGUSR2, file), 0);
	child = fork();
	if (!child)
		_exit(in_child());
	waitpid(child, &status, 0);
	EXPECT_EQ(WEXITSTATUS(status), 0);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
}

/* ---- pools come and go */

static uint32_t over;

static void *interrupts(void *unused)
{
	for (int i = 0; i < 2000; i++) {
		kill(getpid(), SIGUSR2);
		usleep(50);
	}
	nap_store_release(&over, true);
	return unused;
}

static void *dumps(void *failed)
{
	while (!nap_load_acquire(&over))
		*(int *)failed |= nap_pools_dump(file);
	return failed;
}

TEST(pools_come_and_go)
{
	pthread_t threads[2];
	int failed = 0;

	file = open("/dev/null", O_WRONLY | O_CLOEXEC);
	EXPECT_EQ(nap_dump_on_signal(SIGUSR2, file), 0);
	ASSERT_EQ(pthread_create(&threads[0], NULL, interrupts, NULL), 0);
	ASSERT_EQ(pthread_create(&threads[1], NULL, dumps, &failed), 0);
	while (!nap_load_acquire(&over)) {
		struct nap_pool *pool;

		ASSERT_EQ(nap_pool_new(&pool, &(struct nap_config){ .max_workers = 2 }), 0);
		use(pool);
		ASSERT_EQ(nap_pool_join(pool, NULL), 0);
		ASSERT_EQ(nap_pool_free(pool), 0);
	}
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	EXPECT_EQ(failed, 0);
}

TEST_HARNESS_MAIN
