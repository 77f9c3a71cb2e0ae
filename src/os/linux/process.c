/* SPDX-License-Identifier: MIT */
/*
 * The number that nap gives to its process, and to no ancestor or child of it. The number lies on a
 * page that the kernel wipes in the child of any fork (Linux 4.14), and every thread has a copy in
 * its own record. So the first comparison of the two detects a child, without a handler.
 *
 * Older kernels, and emulators that ignore the wipe (qemu-user), keep the page. There a call has to
 * report the fork: nap__os_forked().
 */
#include "arch/atomic.h"
#include "arch/syscall.h"
#include "os/os.h"
#include "thread.h"

#define MADV_WIPEONFORK	18

/* The number has a page of its own, whichever page size the kernel has. */
static struct {
	uint32_t gen;
	char padding[NAP__PAGE_MAX - sizeof(uint32_t)];
} wiped __attribute__((aligned(NAP__PAGE_MAX)));

extern __typeof__(wiped.gen) nap__fork_gen __attribute__((alias("wiped")));

uint32_t nap__fork_last;

static uint32_t forking;	/* atomic: the number of the process that forks just now */

static void before_fork(void)
{
	nap_store_relaxed(&forking, nap_load_relaxed(&nap__fork_gen));
}

/* The second way to detect a child, for systems that do not wipe the page. */
static void child_of_fork(void)
{
	nap__os_forked(nap_load_relaxed(&forking));
}

void nap__os_init(void)
{
	if (nap_load_relaxed(&nap__fork_gen))
		return;
	/*
	 * Both calls come before the first number is given, because a child has to lose its
	 * parent's number.
	 */
	nap__os_watch_forks(before_fork, child_of_fork);
	nap__syscall3(NAP__NR_madvise, (long)&wiped, sizeof(wiped), MADV_WIPEONFORK);
	/*
	 * Repeats when the numbers have wrapped to 0. The mask keeps every number below
	 * PLAIN_NO_MORE: pool->plain has the number of the pool's process, 0 before the first use,
	 * or PLAIN_NO_MORE.
	 */
	while (nap_load_relaxed(&nap__fork_gen) == 0)
		nap_cmpxchg_relaxed(&nap__fork_gen, 0,
				    (nap_fetch_add_relaxed(&nap__fork_last, 1) + 1) & INT32_MAX);
}

void nap__os_forked(uint32_t parent)
{
	/* The caller is the only thread of the process, so no other thread interferes. */
	if (nap_load_relaxed(&nap__fork_gen) == parent)
		nap_store_relaxed(&nap__fork_gen, 0);
	nap__os_init();
}
