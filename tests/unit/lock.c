/* SPDX-License-Identifier: MIT */
/*
 * The locks of src/sync/lock.h, lock_word.h and process_lock.h, on one thread. When the thread
 * pauses between two checks of a lock, or is about to sleep, the test does the owner's step, which
 * gives the lock back.
 */
#include "arch/atomic.h"
#include "os/futex.h"

static void pause_here(void);
#undef nap_cpu_relax
#define nap_cpu_relax() pause_here()

#include "sync/lock_word.h"
#include "sync/process_lock.h"
#include "harness.h"
#include "wrap.h"

#define STATE	(3 * LOCK_STATE)

static uint32_t word, nr_pauses, nr_sleeps, nr_wakes;
static uint32_t given_at;	/* the pause in which the owner gives the lock back; 0: none */
static void (*give)(void);

static void pause_here(void)
{
	if (++nr_pauses == given_at)
		give();
}

/* The owner gives the lock back when the other thread is about to sleep. */
WRAP(int, nap__futex_wait, (uint32_t *at, uint32_t expected, uint64_t deadline))
{
	(void)deadline;
	nr_sleeps += at == &word && word == expected;
	give();
	return 0;
}

WRAP(void, nap__futex_wake, (uint32_t *at, uint32_t n))
{
	nr_wakes += at == &word && n == 1;
}

static void give_lock(void)
{
	lock_give(&word);
}

static void give_word(void)
{
	word_give(&word, 0, 0);
}

static void begin(uint32_t state, uint32_t at)
{
	word = state | LOCK_HELD;
	give = state ? give_word : give_lock;
	given_at = at;
	nr_pauses = nr_sleeps = nr_wakes = 0;
}

/* The owner finds no thread asleep, and wakes none. */
TEST(a_thread_that_polls_takes_the_lock_as_it_is)
{
	for (uint32_t at = 1; at < NAP_LOCK_LOOKS / 2; at++) {
		begin(0, at);
		lock_take(&word);
		EXPECT_EQ(word, LOCK_HELD);
		EXPECT_EQ(nr_wakes, 0);
		lock_give(&word);
		EXPECT_EQ(word, LOCK_FREE);
		EXPECT_EQ(nr_sleeps + nr_wakes, 0);
		begin(STATE, at);
		word_take(&word);
		EXPECT_EQ(word, STATE | LOCK_HELD);
		EXPECT_EQ(nr_wakes, 0);
		word_give(&word, LOCK_STATE, 4 * LOCK_STATE);
		EXPECT_EQ(word, 6 * LOCK_STATE);
		EXPECT_EQ(nr_sleeps + nr_wakes, 0);
	}
}

/* Other threads may sleep as well, so the next owner wakes one, too. */
TEST(a_thread_that_sleeps_is_woken_and_so_is_the_next)
{
	begin(0, 0);
	lock_take(&word);
	EXPECT_EQ(nr_sleeps, 1);
	EXPECT_EQ(nr_wakes, 1);
	EXPECT_EQ(word, LOCK_AWAITED);
	lock_give(&word);
	EXPECT_EQ(word, LOCK_FREE);
	EXPECT_EQ(nr_wakes, 2);
	begin(STATE, 0);
	word_take(&word);
	EXPECT_EQ(nr_sleeps, 1);
	EXPECT_EQ(nr_wakes, 1);
	EXPECT_EQ(word, STATE | LOCK_AWAITED);
	word_give(&word, LOCK_STATE, 4 * LOCK_STATE);
	EXPECT_EQ(word, 6 * LOCK_STATE);
	EXPECT_EQ(nr_wakes, 2);
}

/* ---- the lock of a process */

static void give_process_lock(void)
{
	process_lock_give(&word);
}

TEST(a_process_waits_for_its_own_threads)
{
	begin(0, 0);
	word = 0;
	give = give_process_lock;
	for (int turn = 1; turn <= 3; turn++) {
		process_lock_take(&word);
		EXPECT_FALSE(process_lock_try(&word));
		process_lock_take(&word);
		EXPECT_EQ(nr_sleeps, turn);
		EXPECT_FALSE(process_lock_try(&word));
		process_lock_give(&word);
		EXPECT_EQ(nr_wakes, 2 * turn);
		EXPECT_EQ(word, 0);
	}
}

/* Each process forks the next while its lock is held. The first has no number yet. */
TEST(no_child_waits_for_a_thread_of_an_ancestor)
{
	const uint32_t before = nap_load_relaxed(&nap__fork_gen);

	begin(0, 0);
	word = 0;
	for (uint32_t process = 0; process < 100; process++) {
		nap_store_relaxed(&nap__fork_gen, process);
		process_lock_take(&word);
		EXPECT_FALSE(process_lock_try(&word));
	}
	nap_store_relaxed(&nap__fork_gen, INT32_MAX);
	EXPECT_TRUE(process_lock_try(&word));
	EXPECT_FALSE(process_lock_try(&word));
	process_lock_give(&word);
	EXPECT_TRUE(process_lock_try(&word));
	EXPECT_EQ(nr_sleeps, 0);
	nap_store_relaxed(&nap__fork_gen, before);
}

TEST_HARNESS_MAIN
