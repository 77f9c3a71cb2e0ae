/* SPDX-License-Identifier: MIT */
/*
 * nap/sync.h: a notified waiter that finds the mutex locked again polls as long as the owner may
 * run on another CPU. Here src/async/fiber/mutex.c is compiled so that it polls for ever
 * (unit/patient_mutex): the test checks whether a waiter polls, but not for how long.
 */
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "sync/lock_word.h"
#include "harness.h"

#define ROUNDS	100
#define AWAITED	(2 * LOCK_STATE)	/* a value of src/async/fiber/mutex.c */
#define WOKEN	(4 * LOCK_STATE)

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static struct nap_mutex mutex = NAP_MUTEX_INIT;
static uint32_t told, taken;

static intptr_t locks_and_gives_way(void *arg)
{
	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		if (nap_mutex_lock(&mutex))
			return 1;
		nap_yield();
		nap_mutex_unlock(&mutex);
	}
	return 0;
}

/* Two fibers lock the mutex again and again, and yield while they own it. */
static intptr_t two_lock(void *arg)
{
	struct nap_fiber *fibers[2];
	intptr_t failed[2] = { 1, 1 };

	(void)arg;
	for (int i = 0; i < 2; i++)
		if (nap_spawn(&pool, &fibers[i], locks_and_gives_way, NULL))
			return 1;
	for (int i = 0; i < 2; i++)
		if (nap_await(fibers[i], &failed[i]))
			return 1;
	return failed[0] || failed[1];
}

/* The owner has yielded on the waiter's worker. If the waiter polled, neither fiber would go on. */
TEST(no_waiter_looks_for_an_owner_of_its_own_thread)
{
	struct nap_fiber *fiber;
	intptr_t failed = 1;

	ASSERT_EQ(nap_spawn(&pool, &fiber, two_lock, NULL), 0);
	ASSERT_EQ(nap_await(fiber, &failed), 0);
	EXPECT_EQ(failed, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static intptr_t locks(void *arg)
{
	int err = nap_mutex_lock(&mutex);

	(void)arg;
	if (!err)
		nap_mutex_unlock(&mutex);
	return err;
}

static void until(uint32_t *word)
{
	while (!nap_load_acquire(word))
		usleep(100);
}

/*
 * Runs on the worker: notifies the waiter, which resumes when another thread has locked the mutex
 * again.
 */
static void unlocks(struct nap_task *task)
{
	(void)task;
	nap_mutex_unlock(&mutex);
	nap_store_release(&told, true);
	until(&taken);
}

TEST(a_waiter_looks_for_an_owner_elsewhere)
{
	struct nap_task task = NAP_TASK_INIT(unlocks);
	struct nap_fiber *fiber;
	intptr_t result = 1;

	ASSERT_TRUE(nap_mutex_trylock(&mutex));
	ASSERT_EQ(nap_spawn(&pool, &fiber, locks, NULL), 0);
	while (!(nap_load_relaxed(&mutex.state) & AWAITED))
		usleep(100);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	until(&told);
	ASSERT_TRUE(nap_mutex_trylock(&mutex));
	nap_store_release(&taken, true);
	/* If the waiter did not poll, it would list itself and clear WOKEN, at some time. */
	usleep(50000);
	EXPECT_TRUE(nap_load_relaxed(&mutex.state) & WOKEN);
	nap_mutex_unlock(&mutex);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
