/* SPDX-License-Identifier: MIT */
/* nap/sync.h: semaphores, mutexes, conditions and events, of fibers, tasks and threads. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "async/fiber/waiters.h"
#include "os/os.h"
#include "fiber_fixture.h"
#include "harness.h"

#define NR 64

static struct nap_mutex mutex = NAP_MUTEX_INIT;
static uint64_t guarded;	/* not atomic: the mutex orders it */
static uint32_t inside, together;

/* Adds one under the mutex, and yields inside, so that other callers find the mutex locked. */
static void add_one(void)
{
	if (nap_mutex_lock(&mutex))
		return;
	if (nap_fetch_add_relaxed(&inside, 1))
		nap_fetch_add_relaxed(&together, 1);
	guarded++;
	nap_yield();
	nap_fetch_sub_relaxed(&inside, 1);
	nap_mutex_unlock(&mutex);
}

static intptr_t adds(void *arg)
{
	(void)arg;
	for (int i = 0; i < 100; i++)
		add_one();
	return 0;
}

static void *adds_too(void *arg)
{
	adds(arg);
	return NULL;
}

TEST(a_mutex_has_one_owner)
{
	pthread_t thread;

	for (int i = 0; i < NR; i++)
		ASSERT_EQ(nap_spawn(&pool, NULL, adds, NULL), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, adds_too, NULL), 0);
	adds(NULL);
	pthread_join(thread, NULL);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(guarded, (NR + 2) * 100);
	EXPECT_EQ(together, 0);
	EXPECT_TRUE(nap_mutex_trylock(&mutex));
	EXPECT_FALSE(nap_mutex_trylock(&mutex));
	EXPECT_EQ(nap_mutex_lock_for(&mutex, 0), -ETIMEDOUT);
	EXPECT_EQ(nap_mutex_lock_for(&mutex, MS), -ETIMEDOUT);
	nap_mutex_unlock(&mutex);
	EXPECT_EQ(nap_mutex_lock_for(&mutex, MS), 0);
}

/* ---- waiters are served in order */

/* Waits until @n waiters are listed; if @n is 0, until none is. */
static void until_listed(struct nap__waiters *list, uint32_t *lock, uint32_t n)
{
	uint32_t listed;

	do {
		listed = 0;
		word_take(lock);
		for (struct nap__fiber_waiter *waiter = list->first; waiter; waiter = waiter->next)
			listed++;
		word_give(lock, 0, 0);
		usleep(100);
	} while (n ? listed < n : listed);
}

static uint32_t turn, out_of_turn;

static intptr_t takes_its_turn(void *arg)
{
	int err = nap_mutex_lock(&mutex);

	if (err)
		return err;
	if (nap_fetch_add_relaxed(&turn, 1) != (uint32_t)(uintptr_t)arg)
		nap_fetch_add_relaxed(&out_of_turn, 1);
	nap_mutex_unlock(&mutex);
	return 0;
}

TEST(who_has_waited_longest_is_next)
{
	ASSERT_TRUE(nap_mutex_trylock(&mutex));
	for (uintptr_t i = 0; i < 16; i++) {
		ASSERT_EQ(nap_spawn(&pool, NULL, takes_its_turn, (void *)i), 0);
		until_listed(&mutex.waiters, &mutex.state, (uint32_t)i + 1);
	}
	nap_mutex_unlock(&mutex);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(turn, 16);
	EXPECT_EQ(out_of_turn, 0);
}

/* ---- a waiter that gives up gets nothing, and takes nothing from other waiters */

static intptr_t locks_for(void *arg)
{
	int err = nap_mutex_lock_for(&mutex, (uint64_t)(uintptr_t)arg);

	if (!err) {
		guarded++;
		nap_mutex_unlock(&mutex);
	}
	return err;
}

TEST(who_leaves_loses_no_hand_over)
{
	for (uint32_t i = 0; i < 300; i++) {
		struct nap_fiber *timed, *canceled, *last;
		intptr_t result;

		ASSERT_TRUE(nap_mutex_trylock(&mutex));
		ASSERT_EQ(nap_spawn(&pool, &timed, locks_for,
				    (void *)(uintptr_t)(100000 + i % 50 * 1000)), 0);
		ASSERT_EQ(nap_spawn(&pool, &canceled, takes_its_turn, NULL), 0);
		ASSERT_EQ(nap_spawn(&pool, &last, locks_for, (void *)(uintptr_t)NAP_FOREVER), 0);
		usleep(i % 120);
		if (i % 2)
			nap_fiber_cancel(canceled);
		nap_mutex_unlock(&mutex);
		if (!(i % 2))
			nap_fiber_cancel(canceled);
		ASSERT_EQ(nap_await(timed, &result), 0);
		ASSERT_TRUE(result == 0 || result == -ETIMEDOUT);
		ASSERT_EQ(nap_await(canceled, &result), 0);
		ASSERT_TRUE(result == 0 || result == -ECANCELED);
		ASSERT_EQ(nap_await(last, &result), 0);
		ASSERT_EQ(result, 0);
	}
	ASSERT_TRUE(nap_mutex_trylock(&mutex));
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- semaphores */

static struct nap_sem sem = NAP_SEM_INIT(3);
static uint32_t most_inside;

static intptr_t enters(void *arg)
{
	(void)arg;
	for (int i = 0; i < 50; i++) {
		uint32_t n;

		if (nap_sem_acquire(&sem))
			return -1;
		n = nap_fetch_add_relaxed(&inside, 1) + 1;
		if (n > nap_load_relaxed(&most_inside))
			nap_store_relaxed(&most_inside, n);
		nap_yield();
		nap_fetch_sub_relaxed(&inside, 1);
		nap_sem_release(&sem, 1);
	}
	return 0;
}

TEST(a_semaphore_lets_as_many_in)
{
	for (int i = 0; i < NR; i++)
		ASSERT_EQ(nap_spawn(&pool, NULL, enters, NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_LE(most_inside, 3);
	for (int i = 0; i < 3; i++)
		EXPECT_TRUE(nap_sem_try(&sem));
	EXPECT_FALSE(nap_sem_try(&sem));
}

static intptr_t acquires(void *arg)
{
	(void)arg;
	return nap_sem_acquire(&sem);
}

TEST(several_are_released_at_once)
{
	struct nap_fiber *fibers[10];
	intptr_t result;

	nap_sem_init(&sem, 0);
	for (int i = 0; i < 10; i++)
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], acquires, NULL), 0);
	usleep(5000);
	nap_sem_release(&sem, 12);
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(nap_await(fibers[i], &result), 0);
		EXPECT_EQ(result, 0);
	}
	EXPECT_TRUE(nap_sem_try(&sem));
	EXPECT_EQ(nap_sem_acquire_for(&sem, 0), 0);
	EXPECT_EQ(nap_sem_acquire_for(&sem, 0), -ETIMEDOUT);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- conditions */

static struct nap_cond cond = NAP_COND_INIT;
static int ready;

static intptr_t waits_until_ready(void *arg)
{
	int err = nap_mutex_lock(&mutex);

	(void)arg;
	if (err)
		return err;
	while (!err && ready <= 0)
		err = nap_cond_wait(&cond, &mutex);
	ready -= !err;
	guarded++;
	nap_mutex_unlock(&mutex);
	return err;
}

TEST(conditions_tell_one_or_all)
{
	struct nap_fiber *fibers[16];
	intptr_t result;
	int nr = 0;

	for (int i = 0; i < 16; i++) {
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], waits_until_ready, NULL), 0);
		until_listed(&cond.waiters, &cond.lock, (uint32_t)i + 1);
	}
	ASSERT_EQ(nap_mutex_lock(&mutex), 0);
	ready = 1;
	nap_cond_signal(&cond);
	nap_mutex_unlock(&mutex);
	ASSERT_EQ(nap_await(fibers[0], &result), 0);
	ASSERT_EQ(nap_mutex_lock(&mutex), 0);
	EXPECT_EQ(ready, 0);
	EXPECT_EQ(guarded, 1);
	EXPECT_EQ(nap_cond_wait_for(&cond, &mutex, MS), -ETIMEDOUT);
	EXPECT_FALSE(nap_mutex_trylock(&mutex));	/* the wait locks the mutex again */
	/* enough for all: a canceled waiter may still find the condition true */
	ready = 15;
	nap_mutex_unlock(&mutex);
	nap_cond_broadcast(&cond);
	for (int i = 8; i < 16; i++)
		nap_fiber_cancel(fibers[i]);
	for (int i = 1; i < 16; i++) {
		ASSERT_EQ(nap_await(fibers[i], &result), 0);
		EXPECT_TRUE(result == 0 || result == -ECANCELED);
		nr += !result;
	}
	EXPECT_GE(nr, 7);
	EXPECT_EQ(ready, 15 - nr);
	EXPECT_EQ(guarded, 16);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_stop_ends_all_of_it)
{
	ready = 0;
	nap_sem_init(&sem, 0);
	ASSERT_TRUE(nap_mutex_trylock(&mutex));
	for (int i = 0; i < 8; i++) {
		ASSERT_EQ(nap_spawn(&pool, NULL, takes_its_turn, NULL), 0);
		ASSERT_EQ(nap_spawn(&pool, NULL, acquires, NULL), 0);
	}
	usleep(3000);
	nap_mutex_unlock(&mutex);
	for (int i = 0; i < 8; i++)
		ASSERT_EQ(nap_spawn(&pool, NULL, waits_until_ready, NULL), 0);
	usleep(3000);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- after a wait for a condition the waiter owns the mutex, whatever has happened */

static int owned_by_another;	/* not atomic: the mutex orders it */
static intptr_t waited;

static int waits_for_nothing(void)
{
	int err = nap_mutex_lock(&mutex);

	if (err)
		return err;
	err = nap_cond_wait(&cond, &mutex);
	nap_fetch_add_relaxed(&together, (uint32_t)owned_by_another + nap_mutex_trylock(&mutex));
	guarded++;
	nap_mutex_unlock(&mutex);
	return err;
}

static intptr_t fiber_waits(void *arg)
{
	(void)arg;
	waited = waits_for_nothing();
	return 0;
}

static uint32_t owns;

static intptr_t owns_over_a_sleep(void *arg)
{
	(void)arg;
	if (nap_mutex_lock(&mutex))
		return 0;
	owned_by_another = 1;
	guarded++;
	nap_store_release(&owns, 1);
	nap_sleep(NAP_FOREVER);
	owned_by_another = 0;
	nap_mutex_unlock(&mutex);
	return 0;
}

/* The joiner resumes the waiting fiber first, while the other fiber owns the mutex. */
TEST(behind_a_stop_too)
{
	ASSERT_EQ(nap_spawn(&pool, NULL, fiber_waits, NULL), 0);
	until_listed(&cond.waiters, &cond.lock, 1);
	ASSERT_EQ(nap_spawn(&pool, NULL, owns_over_a_sleep, NULL), 0);
	while (!nap_load_acquire(&owns))
		usleep(100);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(waited, -ECANCELED);
	EXPECT_EQ(guarded, 2);
	EXPECT_EQ(together, 0);
	EXPECT_TRUE(nap_mutex_trylock(&mutex));
}

static void task_waits(struct nap_task *task)
{
	(void)task;
	waited = waits_for_nothing();
}

TEST(behind_a_stop_in_a_task_too)
{
	struct nap_task task = NAP_TASK_INIT(task_waits);

	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	until_listed(&cond.waiters, &cond.lock, 1);
	ASSERT_EQ(nap_mutex_lock(&mutex), 0);
	owned_by_another = 1;
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	until_listed(&cond.waiters, &cond.lock, 0);
	usleep(1000);
	owned_by_another = 0;
	nap_mutex_unlock(&mutex);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(waited, -ECANCELED);
	EXPECT_EQ(guarded, 1);
	EXPECT_EQ(together, 0);
}

/* ---- events */

static struct nap_event event = NAP_EVENT_INIT;

static intptr_t waits_for_event(void *arg)
{
	int err = nap_event_wait(&event);

	(void)arg;
	if (guarded != 7)	/* not atomic: the event orders it */
		return -1;
	return err;
}

TEST(an_event_is_for_all)
{
	struct nap_fiber *fibers[NR];
	intptr_t result;

	EXPECT_FALSE(nap_event_is_set(&event));
	EXPECT_EQ(nap_event_wait_for(&event, 0), -ETIMEDOUT);
	for (int i = 0; i < NR; i++)
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], waits_for_event, NULL), 0);
	usleep(2000);
	guarded = 7;
	nap_event_set(&event);
	for (int i = 0; i < NR; i++) {
		ASSERT_EQ(nap_await(fibers[i], &result), 0);
		EXPECT_EQ(result, 0);
	}
	EXPECT_EQ(nap_event_wait(&event), 0);
	nap_event_reset(&event);
	EXPECT_FALSE(nap_event_is_set(&event));
	EXPECT_EQ(nap_event_wait_for(&event, MS), -ETIMEDOUT);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * A claimed waiter belongs to the thread that has claimed it, until this thread makes the waiter
 * ready. Neither the waiter's deadline nor another thread ends the wait a second time.
 */
TEST(a_claimed_wait_is_claimed_once)
{
	struct nap__sleeper sleeper;

	ASSERT_EQ(nap__sleeper_begin(&sleeper, NULL), 0);
	EXPECT_EQ(nap__fiber_wait_claim_whole(sleeper.wait, sleeper.number), CLAIM_OPEN);
	EXPECT_EQ(nap__fiber_wait_claim_whole(sleeper.wait, sleeper.number), CLAIM_NONE);
	EXPECT_FALSE(nap__fiber_wait_claim(sleeper.wait, sleeper.number, WAIT_TIMED_OUT));
	nap__fiber_wait_ready(sleeper.wait);
	EXPECT_EQ(nap__sleep(&sleeper, NAP_FOREVER), 0);
}

TEST_HARNESS_MAIN
