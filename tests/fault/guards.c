/* SPDX-License-Identifier: MIT */
/*
 * Guards of fibers' stacks before Linux 6.13, where each guard is a mapping: a seccomp filter
 * refuses the newer way. A process may have a limited number of guards. The guards of a pool that
 * has ended can be used again.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <nap/fiber.h>
#include <nap/group.h>
#include <nap/nap.h>

#include "harness.h"

#define GUARD_INSTALL	102
#define EACH		6000u	/* stacks of each pool */

static struct nap_pool pool;

static void refuse_guard_install(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_madvise, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, GUARD_INSTALL, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(*code), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		abort();
}

static intptr_t ends(void *arg)
{
	return (intptr_t)arg;
}

/* Keeps the only worker until all fibers exist, so that no fiber ends before that. */
static struct nap_group all;

static void holds_up(struct nap_task *task)
{
	(void)task;
	nap_group_wait(&all);
}

static uint32_t nr_unguarded(uint32_t stacks)
{
	struct nap_task task = NAP_TASK_INIT(holds_up);
	struct nap_fiber_stats stats = { .unguarded = UINT32_MAX };

	nap_group_init(&all, NULL);
	nap_group_add(&all, 1);
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }) ||
	    nap_schedule(&pool, &task))
		abort();
	for (uint32_t i = 0; i < stacks; i++)
		if (nap_spawn(&pool, NULL, ends, NULL))
			abort();
	nap_fiber_get_stats(&pool, &stats);
	if (stats.stacks != stacks)
		abort();
	nap_group_done(&all);
	nap_pool_join(&pool, NULL);
	return stats.unguarded;
}

TEST(guards_of_pools_that_have_ended_are_there_again)
{
	refuse_guard_install();
	for (int i = 0; i < 6; i++)
		EXPECT_EQ(nr_unguarded(EACH), 0);
	/* Only NAP_FIBER_GUARDS stacks get a guard. */
	EXPECT_EQ(nr_unguarded(NAP_FIBER_GUARDS + 10), 10);
	EXPECT_EQ(nr_unguarded(NAP_FIBER_GUARDS), 0);
}

TEST_HARNESS_MAIN
