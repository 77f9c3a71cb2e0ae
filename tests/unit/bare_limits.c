/* SPDX-License-Identifier: MIT */
/* The bare library where the system refuses memory, one more mapping, or a thread. */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "arch/syscall.h"
#include "os/bare/bare.h"
#include "os/linux/file.h"
#include "harness.h"
#include "pool_fixture.h"

#ifndef NAP_TEST_EMULATED	/* an emulator keeps no limits and has no filters */

static void nothing(void *arg)
{
	(void)arg;
}

/* Starts a thread and joins it. A failed start must clear the handle, and has nothing to join. */
static int start_and_join(void)
{
	struct nap_bare_thread *thread = (void *)1;
	int err = nap_bare_thread_start(&thread, 0, nothing, NULL);

	if (!err)
		nap_bare_thread_join(thread);
	else if (thread)
		abort();
	return err;
}

/* ---- limits */

#define RLIMIT_STACK	3
#define RLIMIT_AS	9
#define UNLIMITED	UINT64_MAX

struct limit {
	uint64_t soft, hard;
};

/* Sets the limit, and returns the old one. */
static struct limit set_limit(int what, uint64_t soft)
{
	struct limit old = { 0, 0 }, new;

	nap__syscall4(NAP__NR_prlimit64, 0, what, 0, (long)&old);
	new = (struct limit){ soft, old.hard };
	if (nap__syscall4(NAP__NR_prlimit64, 0, what, (long)&new, 0))
		abort();
	return old;
}

TEST(no_memory_for_a_stack)
{
	struct limit usual = set_limit(RLIMIT_AS, 0);

	EXPECT_EQ(start_and_join(), -ENOMEM);
	set_limit(RLIMIT_AS, usual.soft);
	EXPECT_EQ(start_and_join(), 0);
}

TEST(a_process_that_cannot_be_made_ends)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		set_limit(RLIMIT_AS, 0);
		nap_bare_init();
		_exit(1);
	}
	waitpid(child, &status, 0);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 127);
}

/*
 * If the limit is 0, it does not say how large the first stack is, and the library assumes 8 MiB.
 * The library never assumes more than 64 MiB.
 */
TEST(the_first_stack_is_as_large_as_its_limit)
{
	char *frame = __builtin_frame_address(0);
	struct limit usual = set_limit(RLIMIT_STACK, 1 << 20);

	nap__thread_init(frame);
	EXPECT_EQ(nap__os_stack_half(), (uintptr_t)frame - (1 << 19));
	set_limit(RLIMIT_STACK, 0);
	nap__thread_init(frame);
	EXPECT_EQ(nap__os_stack_half(), (uintptr_t)frame - (4 << 20));
	/* An unlimited stack counts as 64 MiB. Checked only if this process may ask for one. */
	set_limit(RLIMIT_STACK, usual.hard);
	if (usual.hard == UNLIMITED) {
		nap__thread_init(frame);
		EXPECT_EQ(nap__os_stack_half(), (uintptr_t)frame - (32 << 20));
	}
}

/* ---- mappings: their number in a process is limited, and a guard splits one into two */

#define MAX_MAPPINGS	2000000
#define MAP_PRIVATE_ANONYMOUS 0x22

/* Maps a page. Neighbours differ in protection, so that the kernel does not merge them. */
static long map_page(long i)
{
	return nap__syscall6(NAP__NR_mmap, 0, ANY_PAGE, i % 2, MAP_PRIVATE_ANONYMOUS, -1, 0);
}

/* The kernel takes some 250 bytes for each mapping; a process may usually have 65,530. */
#define MIB_FOR_MAPPINGS 48

/* Returns the machine's memory in MiB, or MIB_FOR_MAPPINGS if the kernel does not say. */
static unsigned long memory_mib(void)
{
	char text[256];
	int fd = file_open("/proc/meminfo");
	unsigned long kib = 0;
	long n = fd < 0 ? 0 : file_read(fd, text, sizeof(text));

	if (fd >= 0)
		file_close(fd);
	/* the first line is like "MemTotal: 29184 kB" */
	for (long i = 0; i < n && text[i] != '\n'; i++)
		if (text[i] >= '0' && text[i] <= '9')
			kib = 10 * kib + (unsigned long)(text[i] - '0');
	return n > 0 ? kib >> 10 : MIB_FOR_MAPPINGS;
}

TEST(no_mapping_left_for_the_guard)
{
	long last = 0, mem, n;

	if (memory_mib() < MIB_FOR_MAPPINGS)
		SKIP(return, "there is no memory for that many mappings");
	for (n = 0; n < MAX_MAPPINGS && (mem = map_page(n)) > 0; n++)
		last = mem;
	if (n == MAX_MAPPINGS)
		SKIP(return, "this system has no bound on mappings (vm.max_map_count)");
	ASSERT_EQ(mem, -ENOMEM);
	nap__syscall2(NAP__NR_munmap, last, ANY_PAGE);
	/* The kernel maps the stack, but not its guard; the library then unmaps the stack. */
	ASSERT_EQ(start_and_join(), -ENOMEM);
	ASSERT_GT(map_page(n - 1), 0);
}

/* ---- threads */

#define PR_SET_SECCOMP	22
#define PR_SET_NO_NEW_PRIVS 38

struct filter {
	uint16_t code;
	uint8_t if_true, if_false;
	uint32_t k;
};

/* Has the kernel refuse clone() from here on. False: the kernel is built without filters. */
static bool refuse_clone(void)
{
	static const struct filter filter[] = {
		{ 0x20, 0, 0, 0 },			/* load the number of the call */
		{ 0x15, 0, 1, NAP__NR_clone },		/* another number: skip an instruction */
		{ 0x06, 0, 0, 0x00050000 | EAGAIN },	/* return an error */
		{ 0x06, 0, 0, 0x7fff0000 },		/* allow */
	};
	struct {
		uint16_t len;
		const struct filter *filter;
	} program = { ARRAY_SIZE(filter), filter };

	if (nap__syscall5(NAP__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		abort();
	return nap__syscall3(NAP__NR_prctl, PR_SET_SECCOMP, 2, (long)&program) != -EINVAL;
}

TEST(no_thread_and_its_stack_is_released)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
	sigset_t before, behind;

	if (!refuse_clone())
		SKIP(return, "this kernel has no filters (CONFIG_SECCOMP_FILTER)");
	set_limit(RLIMIT_AS, 256 << 20);
	for (int i = 0; i < 1000; i++)
		ASSERT_EQ(start_and_join(), -EAGAIN);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	EXPECT_EQ(nap_pool_prewarm(&pool, 1), -EAGAIN);
	pthread_sigmask(SIG_SETMASK, NULL, &behind);
	EXPECT_EQ(before.bits, behind.bits);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

#else

TEST(limits)
{
	SKIP(return, "the emulator keeps no limits and has no filters");
}

#endif

TEST_HARNESS_MAIN
