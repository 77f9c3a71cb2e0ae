/* SPDX-License-Identifier: MIT */
/*
 * Forks while another thread holds what the whole process has one of: the lock of NAP_TRACE, the
 * handler of nap_dump_on_signal(), a pool in the table that a dump reads. And forks between two
 * steps of a call that sets up such a thing. The child does not have the other thread, and does not
 * wait for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <nap/dump.h>
#include <nap/fiber.h>
#include <nap/trace.h>

#include "child_threads.h"
#include "os/os.h"
#include "pool_fixture.h"
#include "trace_fixture.h"
#include "watchdog.h"
#include "worker/pools.h"

#define CHECK(cond) \
	do { \
		if (!(cond)) \
			_exit(__LINE__ % 251 + 1); \
	} while (0)

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1, .name = "first");
static struct nap_pool fresh = NAP_POOL_INIT(.max_workers = 1, .name = "fresh");

static pid_t fork_child(void)
{
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		in_child = true;
		alarm(watchdog_seconds() / 4);
	}
	return child;
}

static int status_of(pid_t child)
{
	int status = -1;

	return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

/* ---- a thread that stops in a write, with all that it holds */

static int stops_at = -1;	/* the file; -1: none */
static uint32_t has_stopped, goes_on;
static pthread_t stopped;

WRAP(int, nap__os_write, (int fd, const void *data, size_t size))
{
	if (fd == stops_at && !in_child) {
		flag_set(&has_stopped);
		flag_wait(&goes_on);
	}
	/* Nobody is to read that a file cannot be created. */
	return fd == STDERR_FILENO ? 0 : __real_nap__os_write(fd, data, size);
}

static void stop_in(void *(*call)(void *unused), int file)
{
	stops_at = file;
	if (pthread_create(&stopped, NULL, call, NULL))
		abort();
	flag_wait(&has_stopped);
}

static void let_go(void)
{
	stops_at = -1;
	flag_set(&goes_on);
	pthread_join(stopped, NULL);
}

/* ---- the lock of NAP_TRACE */

static void *use_first(void *unused)
{
	nap_pool_prewarm(&pool, 0);
	return unused;
}

/* Makes a line of @depth descendants; the last one calls @last. */
static int status_of_line(int depth, void (*last)(void))
{
	pid_t child = fork_child();

	if (child)
		return status_of(child);
	if (depth > 1)
		_exit(status_of_line(depth - 1, last) ? 1 : 0);
	last();
	_exit(0);
}

static void use_pool(void)
{
	CHECK(nap_pool_prewarm(&fresh, 0) == 0);
	CHECK(nap_pool_join(&fresh, NULL) == 0);
}

static void exit_unused(void)
{
	exit(0);
}

static void exit_used(void)
{
	CHECK(nap_pool_prewarm(&fresh, 0) == 0);
	exit(0);
}

/* The thread complains that the file cannot be created. */
TEST(the_lock_of_nap_trace)
{
	setenv("NAP_TRACE", "/nonexistent/trace", 1);
	stop_in(use_first, STDERR_FILENO);
	for (int depth = 1; depth <= 9; depth++) {
		EXPECT_EQ(status_of_line(depth, use_pool), 0);
		EXPECT_EQ(status_of_line(depth, exit_unused), 0);
		EXPECT_EQ(status_of_line(depth, exit_used), 0);
	}
	let_go();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- the environment, which the parent has half read */

static char name[64], name_of_child[96];
static pid_t forked;
static bool forks_there;

static void expect_trace(const char *file, uint64_t events)
{
	static struct trace_read seen;
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0 && trace_read(&seen, fd));
	CHECK(seen.file.ring == events && seen.file.pid == getpid());
	close(fd);
	unlink(file);
}

static void trace_in_child(void)
{
	use_pool();
	snprintf(name_of_child, sizeof(name_of_child), "%s.%d", name, getpid());
	expect_trace(name_of_child, 64);
	_exit(0);
}

WRAP(char *, secure_getenv, (const char *of))
{
	if (forks_there && !strcmp(of, "NAP_TRACE_EVENTS")) {
		forks_there = false;
		forked = fork_child();
		if (forked == 0)
			trace_in_child();
	}
	return __real_secure_getenv(of);
}

TEST(the_environment_is_half_read)
{
	snprintf(name, sizeof(name), "/tmp/nap-fork-held-%d", getpid());
	setenv("NAP_TRACE", name, 1);
	setenv("NAP_TRACE_EVENTS", "64", 1);
	forks_there = true;
	EXPECT_EQ(nap_pool_prewarm(&pool, 0), 0);
	EXPECT_EQ(status_of(forked), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	expect_trace(name, 64);
}

/* ---- dumps */

static int file;
static char text[1 << 16];

static void open_file(void)
{
	file = memfd_create("dump", MFD_CLOEXEC);
	if (file < 0)
		abort();
}

/* Dumps by @dump. Returns how often @part was written; @part NULL: how many bytes were. */
static int dumped(int (*dump)(void), const char *part)
{
	ssize_t got;
	int n = 0;

	if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET) || dump())
		return -1;
	got = pread(file, text, sizeof(text) - 1, 0);
	text[got > 0 ? got : 0] = '\0';
	for (const char *at = text; part && (at = strstr(at, part)); at++)
		n++;
	return part ? n : (int)got;
}

static int dump_all(void)
{
	return nap_pools_dump(file);
}

/* ThreadSanitizer delivers no signal in the child of a process of several threads. */
static int signal_self(void)
{
#ifdef NAP_TEST_TSAN
	struct sigaction now;

	sigaction(SIGUSR2, NULL, &now);
	now.sa_sigaction(SIGUSR2, NULL, NULL);
	return 0;
#else
	return raise(SIGUSR2);
#endif
}

static void use(struct nap_pool *p)
{
	struct nap_task task = NAP_TASK_INIT(count_run);
	unsigned long before = nap_load_relaxed(&nr_run);

	CHECK(nap_schedule(p, &task) == 0);
	CHECK(nap_pool_quiesce(p) == 0);
	CHECK(nap_load_relaxed(&nr_run) == before + 1);
}

static void *dump_by_signal(void *unused)
{
	signal_self();
	return unused;
}

static void *dump_by_call(void *unused)
{
	dump_all();
	return unused;
}

TEST(a_dump_on_a_signal)
{
	pid_t child;

	open_file();
	use(&pool);
	ASSERT_EQ(nap_dump_on_signal(SIGUSR2, file), 0);
	stop_in(dump_by_signal, file);
	child = fork_child();
	if (child == 0) {
		for (int i = 0; i < 3; i++)
			CHECK(dumped(signal_self, " is the parent's\n") == 1);
		_exit(0);
	}
	EXPECT_EQ(status_of(child), 0);
	/* In the parent it is still the other thread that dumps. */
	EXPECT_EQ(dumped(signal_self, NULL), 0);
	let_go();
	EXPECT_EQ(dumped(signal_self, "end of pool\n"), 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* A new pool in the memory of the parent's. */
static void use_again(void)
{
	memset(&pool, 0, sizeof(pool));
	CHECK(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1, .name = "again" }) == 0);
	CHECK(dumped(dump_all, "nap: pool") == 1);
	use(&pool);
	CHECK(dumped(dump_all, "\"again\" of process ") == 1);
	CHECK(dumped(dump_all, "nap: pool") == 1);
	CHECK(nap_pool_join(&pool, NULL) == 0);
	memset(&pool, 0x5a, sizeof(pool));
	CHECK(dumped(dump_all, NULL) == 0);
}

/* The memory of the parent's pool is something else, or a pool that no worker has used. */
static void use_otherwise(void)
{
	memset(&pool, 0x5a, sizeof(pool));
	CHECK(dumped(dump_all, " is the parent's\n") == 1);
	CHECK(nap_pool_init(&pool, NULL) == 0);
	CHECK(nap_pool_shutdown(&pool, NAP_DRAIN) == 0);
	CHECK(nap_pool_join(&pool, NULL) == 0);
	memset(&pool, 0x5a, sizeof(pool));
	CHECK(dumped(dump_all, NULL) > 0);
	use(&fresh);
	CHECK(dumped(dump_all, "\"fresh\" of process ") == 1);
	CHECK(dumped(dump_all, "nap: pool") == 1);
	CHECK(nap_pool_join(&fresh, NULL) == 0);
}

static void use_anew(void)
{
	CHECK(nap_pool_init_child(&pool) == 0);
	CHECK(dumped(dump_all, NULL) == 0);
	use(&pool);
	CHECK(dumped(dump_all, "\"first\" of process ") == 1);
	CHECK(nap_pool_join(&pool, NULL) == 0);
	CHECK(dumped(dump_all, NULL) == 0);
}

/* In a child of the child the table is its parent's again. */
static void use_and_fork(void)
{
	use(&fresh);
	CHECK(status_of_line(1, use_again) == 0);
	CHECK(dumped(dump_all, "\"fresh\" of process ") == 1);
	CHECK(nap_pool_join(&fresh, NULL) == 0);
}

static void (*const uses[])(void) = { use_again, use_otherwise, use_anew };

TEST(a_pool_that_a_dump_reads)
{
	open_file();
	use(&pool);
	stop_in(dump_by_call, file);
	for (unsigned i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		EXPECT_EQ(status_of_line(1, uses[i]), 0);
	let_go();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_pool_in_the_table)
{
	open_file();
	use(&pool);
	for (unsigned i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		EXPECT_EQ(status_of_line(1, uses[i]), 0);
	EXPECT_EQ(status_of_line(1, use_and_fork), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* The child's pools have room in a table that the parent's pools have filled. */
static void enter_many(void)
{
	CHECK(dumped(dump_all, " is the parent's\n") == (int)NAP_POOLS);
	use(&fresh);
	CHECK(dumped(dump_all, "\"fresh\" of process ") == 1);
	CHECK(nap_pool_join(&fresh, NULL) == 0);
}

TEST(a_full_table)
{
	static struct nap_pool many[NAP_POOLS];

	open_file();
	use(&pool);
	/* Listed as at their first use, but not used, so they have no threads. */
	for (uint32_t i = 0; i < NAP_POOLS; i++)
		pools_enter(&many[i]);
	EXPECT_EQ(status_of_line(1, enter_many), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- handlers that are half installed, or half restored */

static int forks_behind;		/* a change of this signal's handler; 0: of none */
static void (*then)(void);		/* what the child does */

WRAP(int, sigaction, (int signo, const struct sigaction *action, struct sigaction *before))
{
	int err = __real_sigaction(signo, action, before);

	if (action && signo == forks_behind) {
		forks_behind = 0;
		forked = fork_child();
		if (forked == 0) {
			then();
			_exit(0);
		}
	}
	return err;
}

static uint32_t nr_handled;

static void handled(int signo)
{
	nr_handled += signo == SIGUSR2;
}

static void dump_again(void)
{
	CHECK(nap_dump_on_signal(SIGUSR2, file) == 0);
	CHECK(dumped(signal_self, " is the parent's\n") == 1);
	CHECK(nap_load_relaxed(&nr_handled) == 1);
	CHECK(nap_dump_on_signal(SIGUSR2, -1) == 0);
	CHECK(nap_dump_on_signal(SIGUSR2, -1) == -EALREADY);
	CHECK(dumped(signal_self, NULL) == 0);
	CHECK(nap_load_relaxed(&nr_handled) == 2);
}

TEST(a_dump_that_is_half_installed_or_restored)
{
	struct sigaction mine = { .sa_handler = handled };

	open_file();
	use(&pool);
	__real_sigaction(SIGUSR2, &mine, NULL);
	then = dump_again;
	forks_behind = SIGUSR2;
	EXPECT_EQ(nap_dump_on_signal(SIGUSR2, file), 0);
	EXPECT_EQ(status_of(forked), 0);
	forks_behind = SIGUSR2;
	EXPECT_EQ(nap_dump_on_signal(SIGUSR2, -1), 0);
	EXPECT_EQ(status_of(forked), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void fault_ends(int signo)
{
	_exit(signo == SIGSEGV ? 0 : 1);
}

static void fault_again(void)
{
	volatile uintptr_t nowhere = 16;

	CHECK(nap_fibers_report_overflow() == 0);
	*(volatile int *)nowhere = 1;
}

TEST(a_report_of_overflows_that_is_half_installed)
{
	struct sigaction mine = { .sa_handler = fault_ends };

	__real_sigaction(SIGSEGV, &mine, NULL);
	then = fault_again;
	forks_behind = SIGSEGV;
	EXPECT_EQ(nap_fibers_report_overflow(), 0);
	EXPECT_EQ(status_of(forked), 0);
	forks_behind = SIGBUS;
	EXPECT_EQ(nap_fibers_report_overflow(), 0);
}

TEST_HARNESS_MAIN
