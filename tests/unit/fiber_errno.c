/* SPDX-License-Identifier: MIT */
/*
 * Each fiber keeps its errno over a yield, whichever thread it resumes on, its pointer and its
 * name. No fiber gets the rounding mode of another one.
 */
#include <errno.h>
#include <fenv.h>
#include <string.h>

#include <nap/fiber.h>
#include <nap/here.h>

#include "arch/atomic.h"
#include "harness.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);

static uint32_t turns, yielded_wrongly;

/*
 * Not inlined, because a compiler may keep the address of errno in a register over a yield. Each
 * thread has an errno of its own, and the fiber may resume on another thread.
 */
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
	/* The drain runs all fibers. */
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_load_relaxed(&turns), 100000);
	EXPECT_EQ(nap_load_relaxed(&yielded_wrongly), 0);
}

/* ---- the fiber's own pointer, whichever thread the fiber resumes on */

static uint32_t nr_foreign;

static intptr_t keeps_local(void *arg)
{
	/* The pointer of a new fiber is NULL, also on a stack that an earlier fiber had. */
	uint32_t wrong = nap_fiber_local() != NULL;

	wrong += !nap_fiber_set_local(arg);
	for (int i = 0; i < 100; i++) {
		nap_yield();
		wrong += nap_fiber_local() != arg;
	}
	nap_fetch_add_relaxed(&nr_foreign, wrong);
	return nap_fiber_set_local((char *)arg + 1) && nap_fiber_local() == (char *)arg + 1;
}

TEST(a_pointer_goes_with_the_fiber)
{
	struct nap_fiber *fibers[20];
	intptr_t own;

	EXPECT_FALSE(nap_fiber_set_local(&pool));
	EXPECT_EQ(nap_fiber_local(), NULL);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 20; i++)
			ASSERT_EQ(nap_spawn(&pool, &fibers[i], keeps_local, &fibers[i]), 0);
		for (int i = 0; i < 20; i++) {
			ASSERT_EQ(nap_await(fibers[i], &own), 0);
			EXPECT_EQ(own, 1);
		}
		EXPECT_EQ(nap_load_relaxed(&nr_foreign), 0);
	}
	EXPECT_EQ(nap_fiber_local(), NULL);
	nap_pool_join(&pool, NULL);
}

/* ---- the fiber's name */

/* Returns how many of these went wrong. */
static intptr_t has_a_name(void *unused)
{
	struct nap_fiber *self = nap_fiber_self();
	intptr_t wrong = strcmp(nap_fiber_name(self), "") != 0;
	char name[] = "one of 15 bytes, and more";

	(void)unused;
	nap_fiber_set_name(name);
	name[0] = '\0';
	nap_yield();
	wrong += strcmp(nap_fiber_name(self), "one of 15 bytes") != 0;
	nap_fiber_set_name("short");
	wrong += strcmp(nap_fiber_name(self), "short") != 0;
	nap_fiber_set_name(NULL);
	wrong += strcmp(nap_fiber_name(self), "") != 0;
	nap_fiber_set_name("its last one");
	return wrong;
}

TEST(a_name_is_a_copy_of_15_bytes)
{
	nap_fiber_set_name("no fiber");
	EXPECT_EQ(strcmp(nap_fiber_name(NULL), ""), 0);
	for (int i = 0; i < 2; i++) {
		struct nap_fiber *fiber;
		intptr_t wrong = 1;

		ASSERT_EQ(nap_spawn(&pool, &fiber, has_a_name, NULL), 0);
		nap_pool_quiesce(&pool);
		EXPECT_EQ(strcmp(nap_fiber_name(fiber), "its last one"), 0);
		ASSERT_EQ(nap_await(fiber, &wrong), 0);
		EXPECT_EQ(wrong, 0);
	}
	nap_pool_join(&pool, NULL);
}

/* ---- the rounding mode of a new fiber is its thread's */

static struct nap_pool one = NAP_POOL_INIT(.max_workers = 1);
static struct nap_pool none = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);
static uint32_t nr_begun, nr_begun_wrongly;

static intptr_t begins(void *unused)
{
	nap_fetch_add_relaxed(&nr_begun_wrongly, fegetround() != FE_TONEAREST);
	nap_fetch_add_relaxed(&nr_begun, 1);
	return (intptr_t)unused;
}

static intptr_t ends_before_it(void *unused)
{
	fesetround(FE_TOWARDZERO);
	nap_spawn(&one, NULL, begins, NULL);
	return (intptr_t)unused;
}

static intptr_t waits_for_it(void *unused)
{
	struct nap_fiber *fiber;

	(void)unused;
	fesetround(FE_TOWARDZERO);
	return nap_spawn(&one, &fiber, begins, NULL) || nap_await(fiber, NULL) ||
	       fegetround() != FE_TOWARDZERO;
}

/* The new fiber runs in a frame of the one that waits as a thread. */
static intptr_t runs_it_here(void *unused)
{
	(void)unused;
	fesetround(FE_TOWARDZERO);
	return nap_run(&none, begins, NULL, NULL) || fegetround() != FE_TOWARDZERO;
}

TEST(a_new_fiber_does_not_round_as_another_one)
{
	static nap_fiber_fn const setters[] = { ends_before_it, waits_for_it, runs_it_here };

	for (uint32_t i = 0; i < 3; i++) {
		struct nap_fiber *fiber;
		intptr_t failed = 1;

		ASSERT_EQ(nap_spawn(&one, &fiber, setters[i], NULL), 0);
		ASSERT_EQ(nap_await(fiber, &failed), 0);
		nap_pool_quiesce(&one);
		EXPECT_EQ(failed, 0);
		EXPECT_EQ(nap_load_relaxed(&nr_begun), i + 1);
		EXPECT_EQ(nap_load_relaxed(&nr_begun_wrongly), 0);
	}
	nap_pool_join(&one, NULL);
	nap_pool_join(&none, NULL);
}

TEST_HARNESS_MAIN
