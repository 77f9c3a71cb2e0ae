/* SPDX-License-Identifier: MIT */
/*
 * nap__os_epoll_wait() where epoll_pwait2(2) is missing, or is forbidden: the time that is left,
 * in milliseconds, is rounded up.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "harness.h"
#include "os/linux/epoll.h"
#include "os/os.h"

enum { MS = 1000000, SHOWN = 2047 };

/*
 * From now on epoll_pwait2(2) fails with @err, and epoll_pwait(2) with its own timeout, of which
 * the lower bits are shown; or with EFAULT if it has a signal mask.
 */
static int filter_calls(uint32_t err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_epoll_pwait2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | err),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_epoll_pwait, 0, 7),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[4])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EFAULT),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, SHOWN),
		BPF_STMT(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO),
		BPF_STMT(BPF_RET | BPF_A, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(*code), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

/*
 * Returns the timeout of a wait for @ns. Tries again if the wait began late: so the result is that
 * for @ns, or for up to half a millisecond less.
 */
static int timeout_for(uint64_t ns)
{
	struct nap__os_ready ready;

	for (;;) {
		uint64_t before = nap__os_now();
		int err = nap__os_epoll_wait(0, &ready, 1, before + ns);

		if (nap__os_now() - before < MS / 2)
			return -err;
	}
}

static void expect_milliseconds(struct __test_metadata *_metadata, uint32_t err)
{
	const uint64_t s = 1000 * (uint64_t)MS;

	ASSERT_EQ(filter_calls(err), 0);
	EXPECT_EQ(timeout_for(MS), 1);
	EXPECT_EQ(timeout_for(5 * s), 5000 & SHOWN);
	EXPECT_EQ(timeout_for(5 * s + 2 * MS), 5002 & SHOWN);
	EXPECT_EQ(timeout_for(1000000 * s), 1000000000 & SHOWN);
	EXPECT_EQ(timeout_for(1000001 * s), 1000001000 & SHOWN);
	EXPECT_EQ(timeout_for(1000001 * s + MS), 1000000000 & SHOWN);
	EXPECT_EQ(timeout_for(UINT64_MAX / 2), 1000000000 & SHOWN);
	/* a wait for ever, and one that is over, need no other call */
	EXPECT_EQ(-nap__os_epoll_wait(0, NULL, 1, UINT64_MAX), -1 & SHOWN);
	EXPECT_EQ(-nap__os_epoll_wait(0, NULL, 1, 1), 0);
	EXPECT_EQ(-nap__os_epoll_wait(0, NULL, 1, 0), 0);
}

TEST(a_kernel_without_the_call)
{
	expect_milliseconds(_metadata, ENOSYS);
}

TEST(a_sandbox_that_forbids_the_call)
{
	expect_milliseconds(_metadata, EPERM);
}

TEST_HARNESS_MAIN
