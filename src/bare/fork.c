/* SPDX-License-Identifier: MIT */
/*
 * Which process this is, without a libc that could tell: the number lies on a page that the kernel
 * wipes in the child of a fork, and every thread has a copy of it beside what it knows of itself.
 */
#include "atomic.h"
#include "bare.h"
#include "thread.h"

#define MADV_WIPEONFORK	18

static struct {
	uint32_t gen;
	char rest[NAP__PAGE_MAX - sizeof(uint32_t)];
} wiped __attribute__((aligned(NAP__PAGE_MAX)));

extern __typeof__(wiped.gen) nap__fork_gen __attribute__((alias("wiped")));

static uint32_t last_gen;	/* A: of this process and those that it was forked from */

static __thread struct {
	struct nap__self self;
	uint32_t gen;
} own;

void nap__fork_init(void)
{
	nap__syscall3(NAP__NR_madvise, (long)&wiped, sizeof(wiped), MADV_WIPEONFORK);
	nap__os_init();
}

void nap__os_init(void)
{
	/* Once more when the numbers have come round: 0 is in a pool that nobody has used. */
	while (nap_load_relaxed(&nap__fork_gen) == 0)
		nap_cmpxchg_relaxed(&nap__fork_gen, 0, nap_fetch_add_relaxed(&last_gen, 1) + 1);
}

void nap_bare_forked(void)
{
	/* By the only thread of the process: no other can come between. */
	nap_store_relaxed(&nap__fork_gen, 0);
	nap__os_init();
}

/* In the child, the thread that called fork is no worker any more, and helps nobody. */
struct nap__self *nap__self(void)
{
	if (__builtin_expect(own.gen != nap_load_relaxed(&nap__fork_gen), 0)) {
		nap__os_init();
		own.self = (struct nap__self){ 0 };
		own.gen = nap_load_relaxed(&nap__fork_gen);
	}
	return &own.self;
}
