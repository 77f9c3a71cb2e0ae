/* SPDX-License-Identifier: MIT */
/*
 * The locks of fibers: each call that changes a list under a lock waits until the holder has given
 * the lock back. The test holds the lock, and sees in its word that another thread waits for it.
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <nap/nap.h>

#include "async/fiber/fiber.h"
#include "async/fiber/foreign.h"
#include "async/fiber/stacks.h"
#include "sync/lock.h"
/* comes after the library's headers, whose functions have parameters named pool */
#include "fiber_fixture.h"
#include "harness.h"

static struct nap_pool other = NAP_POOL_INIT(.max_workers = 1);
static struct nap_scope scope, inner;
static struct nap_fiber *fiber;
static uint32_t has_ended;
static intptr_t err;

struct call {
	intptr_t (*fn)(void);
};

static void *calls(void *call)
{
	err = ((struct call *)call)->fn();
	nap_store_release(&has_ended, true);
	return NULL;
}

/*
 * Makes the call in a thread while this thread holds @lock. Returns whether the call, or a thread
 * that it needs, has waited for the lock. The call's result is in @err.
 */
static bool waits_for(uint32_t *lock, intptr_t (*fn)(void))
{
	struct call call = { fn };
	pthread_t thread;
	bool waits;

	nap_store_relaxed(&has_ended, false);
	lock_take(lock);
	if (pthread_create(&thread, NULL, calls, &call))
		abort();
	while (nap_load_relaxed(lock) != LOCK_AWAITED && !nap_load_acquire(&has_ended))
		usleep(100);
	waits = nap_load_relaxed(lock) == LOCK_AWAITED;
	lock_give(lock);
	pthread_join(thread, NULL);
	return waits;
}

/* ---- the list of fibers of other pools */

static void until_listed(void)
{
	while (!has_foreign_fibers(&other))
		usleep(100);
}

static void spawn_waiting(void)
{
	begin_waiting(&other);
	if (nap_spawn(&pool, &fiber, waits, NULL))
		abort();
}

/* Reads the list without its lock, which another thread holds. Race detectors do not see that. */
static __attribute__((no_sanitize("thread"))) intptr_t lists_one(void)
{
	spawn_waiting();
	while (!other.foreign)
		usleep(100);
	return 0;
}

static intptr_t awaits(void)
{
	intptr_t result = 1;
	int failed = nap_await(fiber, &result);

	return failed ? failed : result;
}

static intptr_t cancels(void)
{
	nap_fiber_cancel(fiber);
	return awaits();
}

static intptr_t stops_other(void)
{
	return nap_pool_shutdown(&other, NAP_STOP);
}

TEST(the_list_of_other_pools_fibers)
{
	EXPECT_TRUE(waits_for(&other.foreign_lock, lists_one));
	EXPECT_TRUE(waits_for(&other.foreign_lock, cancels));
	EXPECT_EQ(err, -ECANCELED);
	spawn_waiting();
	until_listed();
	EXPECT_TRUE(waits_for(&other.foreign_lock, stops_other));
	EXPECT_EQ(awaits(), -ECANCELED);
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- the fibers of a scope */

static intptr_t spawns(void)
{
	return nap_scope_spawn(&scope, waits, NULL);
}

static intptr_t lets_end(void)
{
	nap_group_done(&never);
	return nap_scope_end(&scope);
}

static intptr_t cancels_scope(void)
{
	return nap_scope_cancel(&scope);
}

TEST(the_list_of_a_scopes_fibers)
{
	begin_waiting(NULL);
	ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
	EXPECT_TRUE(waits_for(&scope.lock, spawns));
	EXPECT_EQ(err, 0);
	until_waiting(1);
	EXPECT_TRUE(waits_for(&scope.lock, lets_end));
	EXPECT_EQ(err, 0);
	ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
	EXPECT_TRUE(waits_for(&scope.lock, cancels_scope));
	EXPECT_EQ(nap_scope_end(&scope), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- the fiber that has opened a scope */

static uint32_t go_on;

static intptr_t opens_two(void *unused)
{
	(void)unused;
	if (nap_scope_begin(&scope, &pool) || nap_scope_begin(&inner, &pool))
		return -EIO;
	nap_store_release(&nr_waiting, 1);
	while (!nap_load_acquire(&go_on))
		usleep(100);
	if (nap_scope_end(&inner))
		return -EIO;
	nap_store_release(&nr_waiting, 2);
	while (nap_load_acquire(&go_on) < 2)
		usleep(100);
	return nap_scope_end(&scope);
}

static intptr_t lets_end_inner(void)
{
	nap_store_release(&go_on, 1);
	while (nap_load_acquire(&nr_waiting) < 2)
		usleep(100);
	return 0;
}

static intptr_t lets_end_outer(void)
{
	nap_store_release(&go_on, 2);
	return awaits();
}

static void open_two(void)
{
	nap_store_relaxed(&nr_waiting, 0);
	nap_store_relaxed(&go_on, 0);
	if (nap_spawn(&pool, &fiber, opens_two, NULL))
		abort();
	while (!nap_load_acquire(&nr_waiting))
		usleep(100);
}

TEST(the_owner_of_a_scope)
{
	open_two();
	EXPECT_TRUE(waits_for(&inner.lock, lets_end_inner));
	EXPECT_TRUE(waits_for(&scope.lock, lets_end_outer));
	EXPECT_EQ(err, 0);
	/* The end of the inner scope reads whether the outer one is canceled. */
	open_two();
	EXPECT_TRUE(waits_for(&scope.lock, lets_end_inner));
	EXPECT_EQ(lets_end_outer(), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- the fibers that wait for a stack, and the size of the stacks */

static struct nap_fiber_start starts[2];
static uint32_t nr_begun;

static intptr_t begins(void *unused)
{
	(void)unused;
	nap_fetch_add_relaxed(&nr_begun, 1);
	return 0;
}

static intptr_t sizes_stacks(void)
{
	return nap_fibers_init(&other, &(struct nap_fibers_config){ .most = 1 });
}

static intptr_t starts_one(void)
{
	static uint32_t n;
	struct nap_fiber_start *one = &starts[n++];
	uint32_t before = n - 1;
	int failed = nap_fiber_start_init(one, &other, begins, NULL);

	if (!failed)
		failed = nap_schedule(&other, &one->task);
	while (!failed && nap_load_relaxed(&nap__fibers_of(&other)->async.starts) == before)
		usleep(100);
	return failed;
}

static intptr_t looks_for_work(void)
{
	return nap_pool_quiesce(&other);
}

TEST(the_fibers_that_wait_for_a_stack)
{
	uint32_t *lock;

	ASSERT_NE(nap__fibers_of(&other), NULL);
	lock = &nap__fibers_of(&other)->lock;
	EXPECT_TRUE(waits_for(lock, sizes_stacks));
	EXPECT_EQ(err, 0);
	EXPECT_EQ(sizes_stacks(), -EBUSY);
	/* a fiber that has ended keeps the only stack until it is awaited */
	ASSERT_EQ(nap_spawn(&other, &fiber, number, NULL), 0);
	ASSERT_EQ(nap_pool_quiesce(&other), 0);
	EXPECT_TRUE(waits_for(lock, starts_one));
	EXPECT_EQ(err, 0);
	EXPECT_TRUE(waits_for(lock, looks_for_work));
	EXPECT_EQ(err, 0);
	EXPECT_EQ(nr_begun, 0);
	EXPECT_TRUE(waits_for(lock, awaits));
	EXPECT_EQ(err, 0);
	ASSERT_EQ(nap_pool_quiesce(&other), 0);
	EXPECT_EQ(nr_begun, 1);
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
}

TEST_HARNESS_MAIN
