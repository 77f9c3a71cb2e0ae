/* SPDX-License-Identifier: MIT */
/*
 * Which process this is. The number lies on a page that the kernel wipes in the child of any fork
 * (Linux 4.14), and every thread has a copy of it with what it knows of itself. So the first load
 * detects a child, without a handler.
 *
 * Older kernels, and emulators that ignore the wipe (qemu-user), keep the page. There a call has to
 * report the fork: nap__os_forked().
 */
#include "arch/atomic.h"
#include "arch/syscall.h"
#include "os/os.h"
#include "thread.h"

#define MADV_WIPEONFORK	18

/* A page of its own, of any size that pages have. The loader puts the program at a page's start. */
static struct {
	uint32_t gen;
	char padding[NAP__PAGE_MAX - sizeof(uint32_t)];
} wiped __attribute__((aligned(NAP__PAGE_MAX)));

extern __typeof__(wiped.gen) nap__fork_gen __attribute__((alias("wiped")));

uint32_t nap__fork_last;

static uint32_t forking;	/* A: the process that is being forked */

static void before_fork(void)
{
	nap_store_relaxed(&forking, nap_load_relaxed(&nap__fork_gen));
}

/* The second source, for systems that do not wipe the page. */
static void child_of_fork(void)
{
	nap__os_forked(nap_load_relaxed(&forking));
}

void nap__os_init(void)
{
	if (nap_load_relaxed(&nap__fork_gen))
		return;
	/* Both before there is a number, which a child would have to lose. */
	nap__os_watch_forks(before_fork, child_of_fork);
	nap__syscall3(NAP__NR_madvise, (long)&wiped, sizeof(wiped), MADV_WIPEONFORK);
	/*
	 * Again when the numbers have wrapped: 0 is in a pool that nobody has used, and
	 * PLAIN_NO_MORE in one that is stopped.
	 */
	while (nap_load_relaxed(&nap__fork_gen) == 0)
		nap_cmpxchg_relaxed(&nap__fork_gen, 0,
				    (nap_fetch_add_relaxed(&nap__fork_last, 1) + 1) & INT32_MAX);
}

void nap__os_forked(uint32_t parent)
{
	/* Called by the only thread of the process: no other can interfere. */
	if (nap_load_relaxed(&nap__fork_gen) == parent)
		nap_store_relaxed(&nap__fork_gen, 0);
	nap__os_init();
}
