/* SPDX-License-Identifier: MIT */
/* nap/sync.h: a condition with a lock that is no nap_mutex. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "async/fiber/waiters.h"
#include "fiber_fixture.h"
#include "harness.h"

#define NR 2000

static struct nap_cond cond = NAP_COND_INIT;

static void until_listed(void)
{
	bool listed;

	do {
		usleep(100);
		lock_take(&cond.lock);
		listed = cond.waiters.first;
		lock_give(&cond.lock);
	} while (!listed);
}

/* ---- a mutex of the system */

static pthread_mutex_t system_mutex = PTHREAD_MUTEX_INITIALIZER;
static int there, taken;	/* not atomic: the mutex orders them */

static void unlock_system(void *lock)
{
	pthread_mutex_unlock(lock);
}

static void lock_system(void *lock)
{
	pthread_mutex_lock(lock);
}

static const struct nap_lock_ops of_system = { .unlock = unlock_system, .lock = lock_system };

static intptr_t takes(void *arg)
{
	int err = 0;

	(void)arg;
	for (int i = 0; i < NR && !err; i++) {
		pthread_mutex_lock(&system_mutex);
		while (!there && !err)
			err = nap_cond_wait_with(&cond, &system_mutex, &of_system, NAP_FOREVER);
		there -= !err;
		taken += !err;
		pthread_mutex_unlock(&system_mutex);
	}
	return err;
}

static void *takes_too(void *arg)
{
	return (void *)takes(arg);
}

/* Each waiter is signalled once. If a signal were lost, a waiter would wait for ever. */
TEST(no_signal_is_lost)
{
	struct nap_fiber *fibers[3];
	pthread_t thread;
	intptr_t result;
	void *of_thread;

	for (int i = 0; i < 3; i++)
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], takes, NULL), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, takes_too, NULL), 0);
	for (int i = 0; i < 4 * NR; i++) {
		pthread_mutex_lock(&system_mutex);
		there++;
		pthread_mutex_unlock(&system_mutex);
		nap_cond_signal(&cond);
	}
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(nap_await(fibers[i], &result), 0);
		EXPECT_EQ(result, 0);
	}
	pthread_join(thread, &of_thread);
	EXPECT_EQ((intptr_t)of_thread, 0);
	EXPECT_EQ(there, 0);
	EXPECT_EQ(taken, 4 * NR);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a lock that counts its calls, and that a fiber may hold while it waits */

static struct nap_sem sem = NAP_SEM_INIT(1);
static uint32_t nr_unlock, nr_lock, nr_refused;

static void unlock_sem(void *lock)
{
	nap_fetch_add_relaxed(&nr_unlock, 1);
	nap_sem_release(lock, 1);
}

static void lock_sem(void *lock)
{
	nap_fetch_add_relaxed(&nr_lock, 1);
	while (nap_sem_acquire(lock)) {
		nap_fetch_add_relaxed(&nr_refused, 1);
		nap_yield();
	}
}

static const struct nap_lock_ops of_sem = { .unlock = unlock_sem, .lock = lock_sem };

TEST(a_late_one_has_the_lock)
{
	ASSERT_TRUE(nap_sem_try(&sem));
	/* With a time that has passed the call does not wait, and keeps the lock. */
	EXPECT_EQ(nap_cond_wait_with(&cond, &sem, &of_sem, 0), -ETIMEDOUT);
	EXPECT_EQ(nap_cond_wait_with(&cond, &sem, &of_sem, nap_deadline(0)), -ETIMEDOUT);
	EXPECT_EQ(nr_unlock, 0);
	EXPECT_EQ(nap_cond_wait_with(&cond, &sem, &of_sem, nap_deadline(MS)), -ETIMEDOUT);
	EXPECT_EQ(nr_lock, nr_unlock);
	EXPECT_FALSE(nap_sem_try(&sem));
	EXPECT_TRUE(cond.waiters.first == NULL);
}

static int of_first, of_second;
static bool has_it;
static struct nap_fiber *waiter;

/* Waits twice. The fiber is canceled before its second wait begins. */
static intptr_t waits_twice(void *arg)
{
	(void)arg;
	if (nap_sem_acquire(&sem))
		return 1;
	of_first = nap_cond_wait_with(&cond, &sem, &of_sem, NAP_FOREVER);
	of_second = nap_cond_wait_with(&cond, &sem, &of_sem, NAP_FOREVER);
	has_it = !nap_sem_try(&sem);
	nap_sem_release(&sem, 1);
	return 0;
}

/*
 * A canceled wait takes the lock again before it returns; the cancellation must not end this wait
 * for the lock.
 */
TEST(a_canceled_one_has_the_lock)
{
	intptr_t result;

	ASSERT_EQ(nap_spawn(&pool, &waiter, waits_twice, NULL), 0);
	until_listed();
	ASSERT_EQ(nap_sem_acquire(&sem), 0);
	ASSERT_EQ(nap_fiber_cancel(waiter), 0);
	while (!nap_load_relaxed(&nr_lock))
		usleep(100);
	usleep(1000);
	nap_sem_release(&sem, 1);
	ASSERT_EQ(nap_await(waiter, &result), 0);
	EXPECT_EQ(result, 0);
	EXPECT_EQ(of_first, -ECANCELED);
	EXPECT_EQ(of_second, -ECANCELED);
	EXPECT_TRUE(has_it);
	EXPECT_EQ(nr_unlock, 1);
	EXPECT_EQ(nr_lock, 1);
	EXPECT_EQ(nr_refused, 0);
	EXPECT_TRUE(nap_sem_try(&sem));
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static uint32_t owns, owned_by_another;

static intptr_t owns_over_a_sleep(void *arg)
{
	(void)arg;
	if (nap_sem_acquire(&sem))
		return 1;
	owned_by_another = 1;
	nap_store_release(&owns, 1);
	nap_sleep(NAP_FOREVER);
	owned_by_another = 0;
	nap_sem_release(&sem, 1);
	return 0;
}

static intptr_t waits_once(void *arg)
{
	(void)arg;
	if (nap_sem_acquire(&sem))
		return 1;
	of_first = nap_cond_wait_with(&cond, &sem, &of_sem, NAP_FOREVER);
	has_it = !owned_by_another && !nap_sem_try(&sem);
	nap_sem_release(&sem, 1);
	return 0;
}

/* The joiner resumes the waiting fiber first, while the other fiber owns the lock. */
TEST(behind_a_stop_too)
{
	ASSERT_EQ(nap_spawn(&pool, NULL, waits_once, NULL), 0);
	until_listed();
	ASSERT_EQ(nap_spawn(&pool, NULL, owns_over_a_sleep, NULL), 0);
	while (!nap_load_acquire(&owns))
		usleep(100);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(of_first, -ECANCELED);
	EXPECT_TRUE(has_it);
	EXPECT_TRUE(nap_sem_try(&sem));
}

TEST_HARNESS_MAIN
