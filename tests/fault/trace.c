/* SPDX-License-Identifier: MIT */
/* Traces with too little memory, with no room on the disk, or with a slow reader. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <nap/trace.h>

#include "pool_fixture.h"
#include "trace_fixture.h"
#include "slow_reader.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static struct trace_read seen;

static void run_some(int n)
{
	while (n--)
		nap_schedule(&pool, new_task(count_and_free));
	nap_pool_quiesce(&pool);
}

/* An emulator keeps no limit. */
#if !defined(NAP_TEST_LSAN) && !defined(NAP_TEST_EMULATED)
/* Limits the address space to its present size and @more bytes. */
static void limit_space(size_t more)
{
	struct rlimit limit;
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file) {
		if (fscanf(file, "%lu", &pages) != 1)
			pages = 0;
		fclose(file);
	}
	getrlimit(RLIMIT_AS, &limit);
	limit.rlim_cur = more ? pages * 4096 + more : limit.rlim_max;
	setrlimit(RLIMIT_AS, &limit);
}

TEST(no_memory)
{
	struct nap_trace_options options = { .events = 1 << 20 };
	int fd = memfd_create("trace", MFD_CLOEXEC);

	run_some(10);
	limit_space(16 << 20);
	EXPECT_EQ(nap_trace_begin(&pool, &options), -ENOMEM);
	EXPECT_EQ(nap_trace_write(&pool, fd), -ENODATA);
	run_some(10);
	limit_space(0);
	EXPECT_EQ(nap_trace_begin(&pool, &options), 0);
	run_some(10);
	/* too little for a copy of the ring */
	limit_space(16 << 20);
	EXPECT_EQ(nap_trace_write(&pool, fd), -ENOMEM);
	limit_space(0);
	EXPECT_EQ(nap_trace_write(&pool, fd), 0);
	EXPECT_TRUE(trace_read(&seen, fd));
	EXPECT_EQ(seen.begun + seen.begun_outside, 10);
	EXPECT_EQ(nr_run, 30);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}
#endif

TEST(a_full_disk)
{
	struct nap_trace_options options = { .flags = NAP_TRACE_AT_JOIN };

	options.fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	ASSERT_GE(options.fd, 0);
	EXPECT_EQ(nap_trace_begin(&pool, &options), 0);
	run_some(100);
	EXPECT_EQ(nap_trace_write(&pool, options.fd), -ENOSPC);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 100);
}

TEST(nobody_reads)
{
	int ends[2];

	ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	EXPECT_EQ(nap_trace_begin(&pool, NULL), 0);
	run_some(2000);
	EXPECT_EQ(nap_trace_write(&pool, ends[1]), -EAGAIN);
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	EXPECT_EQ(nap_trace_write(&pool, ends[1]), -EPIPE);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- writes that are short, or interrupted */

TEST(a_slow_reader_and_signals)
{
	struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = alarmed };	/* without SA_RESTART */
	sigset_t alarms;
	size_t most = 3000;
	pthread_t reader;

	out = memfd_create("trace", MFD_CLOEXEC);
	ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
	EXPECT_EQ(nap_trace_begin(&pool, NULL), 0);
	run_some(5000);
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	ASSERT_EQ(pthread_create(&reader, NULL, read_slowly, &most), 0);
	pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	EXPECT_EQ(nap_trace_write(&pool, pipe_ends[1]), 0);
	setitimer(ITIMER_REAL, &never, NULL);
	close(pipe_ends[1]);
	pthread_join(reader, NULL);
	EXPECT_GT(nr_alarms, 0);
	ASSERT_TRUE(trace_read(&seen, out));
	EXPECT_EQ(seen.begun + seen.begun_outside, 5000);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
