/* SPDX-License-Identifier: MIT */
/* Dumps without a reader, without a file, or without a way to copy memory that may be gone. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include <nap/dump.h>

#include "pool_fixture.h"
#include "slow_reader.h"

#define FIBERS 1000

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static struct nap_event event = NAP_EVENT_INIT;
static char text[1 << 20];

static intptr_t waits(void *unused)
{
	nap_event_wait(&event);
	(void)unused;
	return 0;
}

/* Makes the dump of the pool long: fibers wait. */
static void fill(void)
{
	for (int i = 0; i < FIBERS; i++)
		nap_spawn(&pool, NULL, waits, NULL);
	nap_schedule(&pool, new_task(count_and_free));
	while (nap_load_acquire(&nr_run) == 0)
		usleep(100);
	nap_sleep(10000000);
}

static int finish(void)
{
	nap_event_set(&event);
	return nap_pool_join(&pool, NULL);
}

/* Returns how many lines of the file @fd say that a fiber waits; -1: the text is cut. */
static int lines_in(int fd)
{
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	int lines = 0;

	text[n > 0 ? n : 0] = '\0';
	for (const char *at = text; (at = strstr(at, ": waits for an event 0x")); at++)
		lines++;
	return n > 12 && !strcmp(text + n - 12, "end of pool\n") ? lines : -1;
}

TEST(no_file)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	fill();
	EXPECT_EQ(nap_pool_dump(&pool, -1), -EBADF);
	EXPECT_EQ(nap_pool_dump(&pool, fd), -ENOSPC);
	close(fd);
	EXPECT_EQ(nap_pool_dump(&pool, fd), -EBADF);
	EXPECT_EQ(finish(), 0);
}

TEST(nobody_reads)
{
	int ends[2];

	fill();
	ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	EXPECT_EQ(nap_pool_dump(&pool, ends[1]), -EAGAIN);
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	EXPECT_EQ(nap_pool_dump(&pool, ends[1]), -EPIPE);
	EXPECT_EQ(finish(), 0);
}

/* ---- writes that are short, or interrupted */

TEST(a_slow_reader_and_signals)
{
	struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = alarmed };	/* without SA_RESTART */
	sigset_t alarms;
	size_t most = 1500;
	pthread_t reader;

	out = memfd_create("dump", MFD_CLOEXEC);
	ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
	ASSERT_GE(fcntl(pipe_ends[1], F_SETPIPE_SZ, 4096), 4096);
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	fill();
	ASSERT_EQ(pthread_create(&reader, NULL, read_slowly, &most), 0);
	pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	EXPECT_EQ(nap_pool_dump(&pool, pipe_ends[1]), 0);
	setitimer(ITIMER_REAL, &never, NULL);
	close(pipe_ends[1]);
	pthread_join(reader, NULL);
	EXPECT_GT(nr_alarms, 0);
	EXPECT_EQ(lines_in(out), FIBERS);
	EXPECT_EQ(finish(), 0);
}

/* ---- a sandbox */

/* From now on process_vm_readv(2) fails with @err. */
static int forbid_copies(int err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(*code), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

static void limit_files(rlim_t n)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = n ? n : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void dump_in_sandbox(struct __test_metadata *_metadata, int err)
{
	int fd;

#ifdef NAP_TEST_EMULATED
	SKIP(return, "qemu-user has no filters");
#endif
	fd = memfd_create("dump", MFD_CLOEXEC);
	fill();
	ASSERT_EQ(forbid_copies(err), 0);
	EXPECT_EQ(nap_pool_dump(&pool, fd), 0);
	EXPECT_EQ(lines_in(fd), FIBERS);
	/* Without a pipe the dump still has everything that it can read without copying. */
	ASSERT_EQ(ftruncate(fd, 0), 0);
	lseek(fd, 0, SEEK_SET);
	limit_files(3);
	EXPECT_EQ(nap_pool_dump(&pool, fd), 0);
	limit_files(0);
	EXPECT_EQ(lines_in(fd), 0);
	EXPECT_TRUE(strstr(text, "worker 0: idle, ") != NULL);
	EXPECT_TRUE(strstr(text, ": changed during the dump\n") != NULL);
	EXPECT_EQ(finish(), 0);
}

TEST(a_sandbox_forbids_copies)
{
	dump_in_sandbox(_metadata, EPERM);
}

TEST(a_kernel_without_copies)
{
	dump_in_sandbox(_metadata, ENOSYS);
}

TEST_HARNESS_MAIN
