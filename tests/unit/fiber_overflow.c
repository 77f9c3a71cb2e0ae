/* SPDX-License-Identifier: MIT */
/* The report of a fiber whose stack has overflowed. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nap/nap.h>

#include "async/fiber/fiber.h"
#include "async/fiber/stacks.h"
#include "harness.h"
#include "segv.h"

static struct nap_pool one = NAP_POOL_INIT(.max_workers = 1);
static char said[4096];

static intptr_t returns(void *arg)
{
	return (intptr_t)arg;
}

static __attribute__((noinline)) int overflow(int n)
{
	volatile char page[1024];

	page[0] = (char)n;
	if (page[0] == (char)n)	/* always true, but the compiler does not know this */
		n += overflow(n + 1);
	return n + page[0];
}

static intptr_t overflows(void *name)
{
	nap_fiber_set_name(name);
	return overflow(1);
}

static intptr_t faults(void *address)
{
	*(volatile int *)address = 1;
	return 0;
}

/* Exits with 0, because a tool may change any other exit status when it sees the fault. */
static void ends(int signal)
{
	(void)signal;
	if (write(STDERR_FILENO, "its own", 7) == 7)
		_exit(0);
}

/* Memory that no thread may touch, as large as a page is at most. */
#define MENDED	((size_t)65536)

static char *to_mend;

/* Gives the access to @to_mend, so that the thread that has faulted goes on. */
static void mends(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_addr != to_mend || mprotect(to_mend, MENDED, PROT_READ | PROT_WRITE))
		ends(signal);
}

static intptr_t overflows_later(void *name)
{
	*(volatile char *)to_mend = 1;
	return overflows(name);
}

/* Does not end the process: a second fault ends it. */
static void says(int signal)
{
	(void)signal;
	if (write(STDERR_FILENO, "its own", 7) != 7)
		_exit(3);
}

enum { REPORTED = 1, OWN_HANDLER = 2, WORKER_FIRST = 4, MENDER = 8, ONCE = 16, IGNORED = 32,
       ON_THREAD = 64 };

/*
 * Returns the exit status of a child whose fiber overflows; @said gets what it prints on standard
 * error.
 */
static int status_of(nap_fiber_fn fn, void *arg, int how)
{
	struct nap_fiber *first;
	ssize_t n = 0, more;
	int fds[2], status = -1;
	pid_t child;

	if (pipe(fds))
		return -1;
	child = fork();
	if (child == 0) {
		dup2(fds[1], STDERR_FILENO);
		close(fds[1]);
		/* Replaces the handler that a sanitizer installs. */
		signal(SIGSEGV, how & OWN_HANDLER ? ends : SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		if (how & MENDER)
			sigaction(SIGSEGV, &(struct sigaction){ .sa_sigaction = mends,
								.sa_flags = SA_SIGINFO }, NULL);
		if (how & ONCE)
			sigaction(SIGSEGV, &(struct sigaction){ .sa_handler = says,
								.sa_flags = SA_RESETHAND }, NULL);
		if (how & IGNORED)
			signal(SIGSEGV, SIG_IGN);
		if (how & WORKER_FIRST &&
		    (nap_spawn(&one, &first, returns, NULL) || nap_await(first, NULL)))
			_exit(2);
		if (how & REPORTED &&
		    (nap_fibers_report_overflow() || nap_fibers_report_overflow()))
			_exit(1);
		alarm(60);
		if (how & ON_THREAD)
			fn(arg);
		else
			nap_spawn(&one, NULL, fn, arg);
		nap_pool_join(&one, NULL);
		_exit(0);
	}
	close(fds[1]);
	memset(said, 0, sizeof(said));
	while ((more = read(fds[0], said + n, sizeof(said) - 1 - (size_t)n)) > 0)
		n += more;
	close(fds[0]);
	waitpid(child, &status, 0);
	return status;
}

static const char named[] =
	"nap: the stack of fiber \"the deep one\" has overflowed: number 0, function 0x";

TEST(the_fiber_is_named)
{
#ifdef NAP_TEST_EMULATED
	SKIP(return, "qemu-user says that it has installed guards (madvise(2)), and has not");
#endif
	EXPECT_SEGV(status_of(overflows, "the deep one", REPORTED));
	EXPECT_EQ(strncmp(said, named, sizeof(named) - 1), 0);
	EXPECT_NE(strstr(said, ", 65536 bytes, at 0x"), NULL);
}

/* The handler that was there before recovers from a fault; later a fiber overflows. */
TEST(it_is_named_after_another_fault_too)
{
	int status;

#ifdef NAP_TEST_EMULATED
	SKIP(return, "qemu-user says that it has installed guards (madvise(2)), and has not");
#endif
	to_mend = mmap(NULL, MENDED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(to_mend != MAP_FAILED);
	status = status_of(overflows_later, "the deep one", REPORTED | MENDER);
	EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	EXPECT_EQ(strncmp(said, named, sizeof(named) - 1), 0);
	EXPECT_NE(strstr(said, "its own"), NULL);
	munmap(to_mend, MENDED);
}

/* A byte at a distance from the lowest one of the stack; 0: the guard's lowest one. */
static intptr_t touches_guard(void *distance)
{
	struct nap_fiber *self = nap_fiber_self();
	size_t guard = self->fibers->guard, below = (size_t)(uintptr_t)distance;

	nap_fiber_set_name("the deep one");
	*(volatile char *)(nap__stack_low(self->fibers, self) - (below ? below : guard)) = 1;
	return 0;
}

TEST(it_is_named_at_both_ends_of_the_guard)
{
#ifdef NAP_TEST_EMULATED
	SKIP(return, "qemu-user says that it has installed guards (madvise(2)), and has not");
#endif
	EXPECT_SEGV(status_of(touches_guard, NULL, REPORTED));
	EXPECT_EQ(strncmp(said, named, sizeof(named) - 1), 0);
	EXPECT_SEGV(status_of(touches_guard, (void *)1, REPORTED));
	EXPECT_EQ(strncmp(said, named, sizeof(named) - 1), 0);
}

/* The program itself forbids the lowest page of the stack. */
static intptr_t touches_lowest(void *unused)
{
	struct nap_fiber *self = nap_fiber_self();

	(void)unused;
	to_mend = nap__stack_low(self->fibers, self);
	if (mprotect(to_mend, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE))
		_exit(4);
	*(volatile char *)to_mend = 1;
	return 0;
}

TEST(a_fault_in_the_stack_is_none)
{
	EXPECT_SEGV(status_of(touches_lowest, NULL, REPORTED));
	EXPECT_EQ(strstr(said, "nap:"), NULL);
}

static intptr_t touches_mended(void *unused)
{
	(void)unused;
	*(volatile char *)to_mend = 1;
	return 0;
}

TEST(a_fault_of_a_thread_is_none)
{
	int status;

	to_mend = mmap(NULL, MENDED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(to_mend != MAP_FAILED);
	status = status_of(touches_mended, NULL, REPORTED | MENDER | ON_THREAD);
	EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	EXPECT_EQ(said[0], 0);
	munmap(to_mend, MENDED);
}

TEST(it_is_not_where_nobody_has_asked)
{
	EXPECT_SEGV(status_of(overflows, "the deep one", 0));
	EXPECT_EQ(strstr(said, "nap:"), NULL);
}

TEST(what_was_set_before_gets_it)
{
	int status = status_of(faults, (void *)8, REPORTED | OWN_HANDLER);

	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_NE(strstr(said, "its own"), NULL);
	EXPECT_EQ(strstr(said, "nap:"), NULL);
}

TEST(another_fault_is_none)
{
	EXPECT_SEGV(status_of(faults, (void *)8, REPORTED));
	EXPECT_EQ(strstr(said, "nap:"), NULL);
}

static intptr_t is_sent(void *arg)
{
	(void)arg;
	return raise(SIGSEGV);
}

TEST(a_signal_that_is_sent_ends_it_too)
{
	EXPECT_SEGV(status_of(is_sent, NULL, REPORTED));
	EXPECT_EQ(strstr(said, "nap:"), NULL);
}

/* With kill(2) the signal has another code. */
static intptr_t is_sent_by_kill(void *unused)
{
	(void)unused;
	kill(getpid(), SIGSEGV);
	for (;;)
		pause();
	return 0;
}

TEST(a_signal_of_another_process_ends_it_too)
{
	EXPECT_SEGV(status_of(is_sent_by_kill, NULL, REPORTED));
	EXPECT_EQ(strstr(said, "nap:"), NULL);
}

TEST(a_signal_that_was_ignored_before_is_ignored)
{
	int status = status_of(is_sent, NULL, REPORTED | IGNORED);

	EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	EXPECT_EQ(said[0], 0);
}

TEST(a_handler_for_one_signal_gets_one)
{
	EXPECT_SEGV(status_of(faults, (void *)8, REPORTED | ONCE));
	/* qemu-user adds a line of its own when a signal ends the program. */
	EXPECT_EQ(strncmp(said, "its own", 7), 0);
	EXPECT_EQ(strstr(said + 7, "its own"), NULL);
	EXPECT_EQ(strstr(said, "nap:"), NULL);
}

/*
 * The worker began before the report was wanted, and has no stack for signal handlers, so the
 * kernel cannot run the handler.
 */
TEST(workers_that_are_there_say_nothing)
{
#ifdef NAP_TEST_LSAN
	SKIP(return, "AddressSanitizer gives each thread a stack for handlers");
#endif
	EXPECT_SEGV(status_of(overflows, "the deep one", REPORTED | WORKER_FIRST));
	EXPECT_EQ(strstr(said, "nap:"), NULL);
}

TEST_HARNESS_MAIN
