/* SPDX-License-Identifier: MIT */
/* Fibers yield, and each keeps its errno, on whatever thread it goes on. */
#include <errno.h>

#include <nap/fiber.h>

#include "atomic.h"
#include "harness.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);

static uint32_t turns, yielded_wrongly;

/* Apart: the variable's address is a thread's, and a compiler may keep it. */
static __attribute__((noinline)) void set_errno(int err)
{
	errno = err;
}

static __attribute__((noinline)) int get_errno(void)
{
	return errno;
}

static intptr_t yields(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		set_errno((int)(intptr_t)arg);
		nap_yield();
		if (get_errno() != (int)(intptr_t)arg)
			nap_fetch_add_relaxed(&yielded_wrongly, 1);
		nap_fetch_add_relaxed(&turns, 1);
	}
	return 0;
}

TEST(fibers_yield_and_keep_their_errno)
{
	for (intptr_t i = 0; i < 100; i++)
		ASSERT_EQ(nap_spawn(&pool, NULL, yields, (void *)(i + 1)), 0);
	/* A drain runs all of them. */
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_load_relaxed(&turns), 100000);
	EXPECT_EQ(nap_load_relaxed(&yielded_wrongly), 0);
}

TEST_HARNESS_MAIN
