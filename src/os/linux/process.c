/* SPDX-License-Identifier: MIT */
/*
 * Which process this is. The number lies on a page that the kernel wipes in the child of a fork,
 * however that was made (Linux 4.14), and every thread has a copy of it beside what it knows of
 * itself. So a child is known by the first load, with no handler having run.
 *
 * Older kernels, and emulators that overlook it (qemu-user), keep the page. There somebody has to
 * tell: nap__os_forked().
 */
#include "arch/atomic.h"
#include "arch/syscall.h"
#include "os/os.h"
#include "thread.h"

#define MADV_WIPEONFORK	18

/* A page of its own, whichever size pages have. The loader puts the program at a page's start. */
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

/* The second source, for where no page is wiped. */
static void child_of_fork(void)
{
	nap__os_forked(nap_load_relaxed(&forking));
}

void nap__os_init(void)
{
	if (nap_load_relaxed(&nap__fork_gen))
		return;
	/* Both before there is a number that a child would have to lose. */
	nap__os_watch_forks(before_fork, child_of_fork);
	nap__syscall3(NAP__NR_madvise, (long)&wiped, sizeof(wiped), MADV_WIPEONFORK);
	/*
	 * Once more when the numbers have come round: 0 is in a pool that nobody has used, and
	 * PLAIN_NO_MORE in one that is stopped.
	 */
	while (nap_load_relaxed(&nap__fork_gen) == 0)
		nap_cmpxchg_relaxed(&nap__fork_gen, 0,
				    (nap_fetch_add_relaxed(&nap__fork_last, 1) + 1) & INT32_MAX);
}

void nap__os_forked(uint32_t parent)
{
	/* By the only thread of the process: no other can come between. */
	if (nap_load_relaxed(&nap__fork_gen) == parent)
		nap_store_relaxed(&nap__fork_gen, 0);
	nap__os_init();
}
