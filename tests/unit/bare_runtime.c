/* SPDX-License-Identifier: MIT */
/* The bare library's parts of a libc: threads, thread-local variables, relocation. */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "arch/atomic.h"
#include "os/bare/bare.h"
#include "os/os.h"
#include "harness.h"
#include "pool_fixture.h"

#define THREADS 8

/* ---- thread-local variables ---- */

static int target = 7;
static __thread int initialised = 42;
static __thread int *address = &target;		/* points to another variable: needs a relocation */
static __thread char zero[100];
static __thread struct {
	long value;
} aligned __attribute__((aligned(256))) = { 99 };

static uint32_t good;

/*
 * Returns the address of @variable, hidden from the compiler, which knows the alignment and would
 * fold the check.
 */
static uintptr_t address_of(void *variable)
{
	__asm__ volatile("" : "+r"(variable));
	return (uintptr_t)variable;
}

static bool fresh(void)
{
	for (size_t i = 0; i < sizeof(zero); i++)
		if (zero[i])
			return false;
	return initialised == 42 && address == &target && *address == 7 &&
	       aligned.value == 99 && address_of(&aligned) % 256 == 0;
}

static void spoil(void *arg)
{
	(void)arg;
	nap_fetch_add_relaxed(&good, fresh());
	initialised = 1;
	address = NULL;
	memset(zero, 1, sizeof(zero));
	aligned.value = 0;
}

TEST(every_thread_has_its_own_variables)
{
	struct nap_bare_thread *threads[THREADS];

	EXPECT_TRUE(fresh());
	for (int i = 0; i < THREADS; i++)
		ASSERT_EQ(nap_bare_thread_start(&threads[i], 0, spoil, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		nap_bare_thread_join(threads[i]);
	EXPECT_EQ(good, THREADS);
	EXPECT_TRUE(fresh());
}

/* ---- relocation ---- */

static void nothing(void *arg)
{
	(void)arg;
}

static void (*volatile pointer)(void *) = nothing;
static const char *const volatile table[] = { "one", "two" };

TEST(addresses_in_data_are_relocated)
{
	EXPECT_EQ((uintptr_t)pointer, (uintptr_t)nothing);
	EXPECT_STREQ(table[0], "one");
	EXPECT_STREQ(table[1], "two");
}

/* ---- threads ---- */

TEST(bad_arguments)
{
	struct nap_bare_thread *thread = NULL;

	EXPECT_EQ(nap_bare_thread_start(NULL, 0, nothing, NULL), -EINVAL);
	EXPECT_EQ(nap_bare_thread_start(&thread, 0, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_bare_thread_start(&thread, 16383, nothing, NULL), -EINVAL);
	EXPECT_EQ(nap_bare_thread_start(&thread, SIZE_MAX, nothing, NULL), -EINVAL);
	EXPECT_EQ(nap_bare_thread_start(&thread, ((size_t)1 << 40) + 1, nothing, NULL), -EINVAL);
	EXPECT_EQ(thread, NULL);
}

static void use_stack(void *arg)
{
	volatile char deep[12000];

	for (size_t i = 0; i < sizeof(deep); i += 512)
		deep[i] = 1;
	nap_fetch_add_relaxed((uint32_t *)arg, (uint32_t)deep[512]);
}

/* The kernel made this stack, and the library has to find its size. */
TEST(the_first_thread_knows_its_stack)
{
	uintptr_t here = address_of(__builtin_frame_address(0));

	EXPECT_TRUE(nap__os_on_stack(here));
	EXPECT_TRUE(nap__os_stack_half() < here);
}

static struct nap_bare_thread *started;
static bool knows[5];

static void look_at_stack(void *arg)
{
	uintptr_t low = (uintptr_t)started->mapping + started->guard_size;
	uintptr_t end = low + started->stack_size;

	(void)arg;
	knows[0] = nap__os_on_stack(low);
	knows[1] = !nap__os_on_stack(low - 1);
	knows[2] = nap__os_on_stack(end - 1);
	knows[3] = !nap__os_on_stack(end);
	knows[4] = nap__os_stack_half() == low + started->stack_size / 2;
}

TEST(a_thread_knows_both_ends_of_its_stack)
{
	ASSERT_EQ(nap_bare_thread_start(&started, 1 << 18, look_at_stack, NULL), 0);
	nap_bare_thread_join(started);
	for (int i = 0; i < 5; i++) {
		EXPECT_TRUE(knows[i]);
	}
}

/*
 * A new thread gets the memory of the thread that was joined before. (An emulator maps elsewhere
 * each time.)
 */
TEST(stacks_are_released)
{
	unsigned long n = nap_test_count(20000);
	struct nap_bare_thread *thread, *first = NULL;
	uint32_t ran = 0, again = 0;

	for (unsigned long i = 0; i < n; i++) {
		ASSERT_EQ(nap_bare_thread_start(&thread, i % 2 ? 16384 : 16384 << (i % 8),
						use_stack, &ran), 0);
		again += thread == first;
		if (i == 0)
			first = thread;
		nap_bare_thread_join(thread);
	}
	EXPECT_EQ(ran, n);
#ifndef NAP_TEST_EMULATED
	EXPECT_GT(again, n / 4);
#else
	(void)again;
#endif
}

static void overflow(void *arg)
{
	volatile char page[1024];

	page[0] = 0;
	if (!page[0])	/* always true, but the compiler does not know this */
		overflow(arg);
	page[0] = 1;
}

/* A stack that overflows runs into its own guard, whatever lies below the guard. */
TEST(a_stack_overflow_is_caught)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		struct nap_bare_thread *thread;

		if (nap_bare_thread_start(&thread, 65536, overflow, NULL))
			_exit(3);
		nap_bare_thread_join(thread);
		_exit(4);
	}
	waitpid(child, &status, 0);
	ASSERT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

#define GUARD	65536	/* the size in nap/bare.h */
#define STACK	(4 * GUARD)

/* Writes a byte below a thread's stack in a child process; returns the child's status. */
static int status_of_writing(size_t offset)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		struct nap_bare_thread *thread;

		if (nap_bare_thread_start(&thread, STACK, nothing, NULL))
			_exit(3);
		*(volatile char *)(thread->mapping + offset) = 1;
		_exit(0);
	}
	waitpid(child, &status, 0);
	return status;
}

/* A thread can use its whole stack, even if it touches the far end first, but no memory below. */
TEST(the_guard_is_64_kib_below_the_stack)
{
	static const size_t guarded[] = { 0, GUARD / 2, GUARD - 1 };
	int status;

	for (size_t i = 0; i < ARRAY_SIZE(guarded); i++) {
		status = status_of_writing(guarded[i]);
		EXPECT_TRUE(WIFSIGNALED(status));
		EXPECT_EQ(WTERMSIG(status), SIGSEGV);
	}
	EXPECT_EQ(status_of_writing(GUARD), 0);
	EXPECT_EQ(status_of_writing(GUARD + STACK - 1), 0);
}

/* ---- forks ---- */

#ifndef NAP_TEST_EMULATED	/* an emulator ignores MADV_WIPEONFORK */
TEST(the_kernel_tells_of_a_fork)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
	struct nap_task task = NAP_TASK_INIT(count_run);
	int status = 0;
	pid_t child;

	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	child = bare_fork_untold();
	if (child == 0) {
		static struct nap_pool fresh_pool = NAP_POOL_INIT(.max_workers = 1);

		if (nap_schedule(&pool, &task) != -ESHUTDOWN)
			_exit(1);
		/* A pool that was not used before the fork works in the child. */
		if (nap_schedule(&fresh_pool, &task) || nap_pool_join(&fresh_pool, NULL) ||
		    nr_run != 2)
			_exit(2);
		_exit(nap_pool_join(&pool, NULL) == -ESHUTDOWN ? 0 : 3);
	}
	waitpid(child, &status, 0);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}
#endif

/* ---- a program that runs as /init ---- */

static int reap_one(int *status)
{
	int pid;

	while ((pid = nap_bare_reap(status)) == 0)
		usleep(1000);
	return pid;
}

TEST(what_has_ended_is_reaped_once)
{
	int held[2], status = 0;
	pid_t child;
	char byte;

	EXPECT_EQ(nap_bare_reap(&status), -ECHILD);
	ASSERT_EQ(pipe(held), 0);
	child = fork();
	if (child == 0) {
		read(held[0], &byte, 1);
		_exit(7);
	}
	EXPECT_EQ(nap_bare_reap(&status), 0);
	write(held[1], "", 1);
	EXPECT_EQ(reap_one(&status), child);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 7);
	EXPECT_EQ(nap_bare_reap(NULL), -ECHILD);
}

/* Workers are threads, not children of the process, and have no status to wait for. */
TEST(threads_are_not_reaped)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
	struct nap_task task = NAP_TASK_INIT(count_run);
	pid_t child;

	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_bare_reap(NULL), -ECHILD);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_bare_reap(NULL), -ECHILD);
	child = fork();
	if (child == 0)
		_exit(0);
	EXPECT_EQ(reap_one(NULL), child);
}

/* Valid arguments end the machine: `make image` tests these. */
TEST(the_machine_ends_in_no_other_way)
{
	EXPECT_EQ(nap_bare_reboot((enum nap_bare_reboot)2), -EINVAL);
	EXPECT_EQ(nap_bare_reboot((enum nap_bare_reboot)-1), -EINVAL);
}

/* ---- messages ---- */

TEST(names_and_messages_are_formatted)
{
	char text[16];

	nap__format(text, sizeof(text), "%s/%u", "nap", 4294967295u);
	EXPECT_STREQ(text, "nap/4294967295");
	nap__format(text, sizeof(text), "%s/%u", "a name that is too long", 1u);
	EXPECT_STREQ(text, "a name that is ");
	nap__format(text, sizeof(text), "at %p.", (void *)0x1f0);
	EXPECT_STREQ(text, "at 0x1f0.");
	nap__format(text, sizeof(text), "%u", 0u);
	EXPECT_STREQ(text, "0");
}

TEST_HARNESS_MAIN
