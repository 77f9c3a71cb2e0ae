/* SPDX-License-Identifier: MIT */
/*
 * nap/sync.h: threads that do not wait may take a mutex before threads that do, but only a
 * bounded number of times. The only worker is kept busy while a waiter is on its way, so that
 * each step comes where the test wants it.
 */
#include <errno.h>
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "async/fiber/waiters.h"
#include "harness.h"
#include "hold_worker.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static struct nap_mutex mutex = NAP_MUTEX_INIT;
static uint32_t has_it;
static struct nap_event may_unlock = NAP_EVENT_INIT;

static void keeps_busy(struct nap_task *task)
{
	(void)task;
	stay_busy();
}

static struct nap_task blocker = NAP_TASK_INIT(keeps_busy);

static intptr_t locks(void *arg)
{
	int err = nap_mutex_lock(&mutex);

	(void)arg;
	if (err)
		return err;
	nap_store_release(&has_it, true);
	nap_event_wait(&may_unlock);
	nap_mutex_unlock(&mutex);
	return 0;
}

static uint32_t nr_listed(void)
{
	uint32_t listed = 0;

	word_take(&mutex.state);
	for (struct nap__fiber_waiter *w = mutex.waiters.first; w; w = w->next)
		listed++;
	word_give(&mutex.state, 0, 0);
	return listed;
}

static void until_listed(uint32_t n)
{
	while (nr_listed() != n)
		usleep(100);
}

/* Begins: the caller owns the mutex, @n fibers wait for it, and the worker is busy. */
static void begin(struct __test_metadata *_metadata, struct nap_fiber **fibers, uint32_t n)
{
	ASSERT_TRUE(nap_mutex_trylock(&mutex));
	for (uint32_t i = 0; i < n; i++) {
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], locks, NULL), 0);
		until_listed(i + 1);
	}
	hold_worker(&pool, &blocker);
}

static void end(struct __test_metadata *_metadata, struct nap_fiber *fiber, intptr_t expected)
{
	intptr_t result;

	nap_event_set(&may_unlock);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, expected);
}

/*
 * While the notified waiter is on its way, other threads may lock the mutex a number of times; then
 * the mutex is kept for that waiter.
 */
TEST(it_is_overtaken_so_often)
{
	struct nap_fiber *fibers[2];
	uint32_t n;

	begin(_metadata, fibers, 2);
	nap_mutex_unlock(&mutex);
	for (n = 0; n <= 2 * NAP_MUTEX_OVERTAKES && nap_mutex_trylock(&mutex); n++)
		nap_mutex_unlock(&mutex);
	ASSERT_EQ(n, NAP_MUTEX_OVERTAKES);
	EXPECT_EQ(nap_mutex_lock_for(&mutex, 0), -ETIMEDOUT);
	EXPECT_EQ(nap_mutex_lock_for(&mutex, 1000), -ETIMEDOUT);
	let_worker_go();
	end(_metadata, fibers[0], 0);
	end(_metadata, fibers[1], 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(nap_mutex_trylock(&mutex));
}

/* The waiter was notified, and comes too late: the next unlock hands the mutex over. */
TEST(who_was_told_in_vain_is_next)
{
	struct nap_fiber *fibers[2];

	begin(_metadata, fibers, 2);
	nap_mutex_unlock(&mutex);
	ASSERT_TRUE(nap_mutex_trylock(&mutex));
	let_worker_go();
	until_listed(2);
	EXPECT_FALSE(has_it);
	hold_worker(&pool, &blocker);
	nap_mutex_unlock(&mutex);
	ASSERT_FALSE(nap_mutex_trylock(&mutex));
	let_worker_go();
	end(_metadata, fibers[0], 0);
	end(_metadata, fibers[1], 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(nap_mutex_trylock(&mutex));
}

/* A waiter that is canceled when it is listed again: no list leads to its stack afterwards. */
TEST(who_is_listed_again_may_give_up)
{
	struct nap_fiber *fibers[2];

	begin(_metadata, fibers, 2);
	nap_mutex_unlock(&mutex);
	ASSERT_TRUE(nap_mutex_trylock(&mutex));
	let_worker_go();
	until_listed(2);
	ASSERT_EQ(nap_fiber_cancel(fibers[0]), 0);
	end(_metadata, fibers[0], -ECANCELED);
	ASSERT_EQ(nr_listed(), 1);
	nap_mutex_unlock(&mutex);
	end(_metadata, fibers[1], 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(nap_mutex_trylock(&mutex));
}

/* The first waiter gives up before the unlock, which takes it out of the list all the same. */
TEST(who_has_given_up_is_passed_over)
{
	struct nap_fiber *fibers[3];
	intptr_t result = 0;

	begin(_metadata, fibers, 3);
	ASSERT_EQ(nap_fiber_cancel(fibers[0]), 0);
	nap_mutex_unlock(&mutex);
	ASSERT_EQ(nr_listed(), 1);
	let_worker_go();
	ASSERT_EQ(nap_await(fibers[0], &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	ASSERT_EQ(nr_listed(), 1);
	end(_metadata, fibers[1], 0);
	end(_metadata, fibers[2], 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(nap_mutex_trylock(&mutex));
}

/* The waiter was notified, and gives up: the next waiter is notified instead. */
TEST(who_gives_up_tells_the_next)
{
	struct nap_fiber *fibers[2];

	begin(_metadata, fibers, 2);
	nap_mutex_unlock(&mutex);
	ASSERT_TRUE(nap_mutex_trylock(&mutex));
	nap_fiber_cancel(fibers[0]);	/* ends this wait, and refuses the next one */
	let_worker_go();
	end(_metadata, fibers[0], -ECANCELED);
	EXPECT_FALSE(has_it);
	nap_mutex_unlock(&mutex);
	end(_metadata, fibers[1], 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(nap_mutex_trylock(&mutex));
}

/*
 * The notified waiter gives up while the mutex is free. No unlock will come that could hand the
 * mutex on, so the waiter locks it.
 */
TEST(who_gives_up_while_it_is_free_has_it)
{
	struct nap_fiber *fibers[2];

	begin(_metadata, fibers, 2);
	nap_mutex_unlock(&mutex);
	nap_fiber_cancel(fibers[0]);
	let_worker_go();
	end(_metadata, fibers[0], 0);
	end(_metadata, fibers[1], 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(nap_mutex_trylock(&mutex));
}

TEST_HARNESS_MAIN
