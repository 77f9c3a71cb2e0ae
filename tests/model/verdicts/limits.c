/* SPDX-License-Identifier: MIT */
/*
 * The numbers that the manual gives room for, under each model; and one more of each.
 *
 * verdict threads: no fault
 * verdict events: no fault
 * verdict too_many_events: undecided: the bound on an execution's length
 * verdict too_many_threads: undecided: the bound on threads
 * verdict high_waits: no fault
 * verdict high_is_forgotten: found: dead-lock: T(7|15) waits for ever
 * verdict too_many_waiters: undecided: the bound on waiters of one word
 */
#include <nap/check.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int words[16], word;

static void set_own(void *arg)
{
	atomic_store(&words[check_self()], 1);
}

static void all_are_set(void)
{
	for (int i = 0; i < 16; i++)
		CHECK(words[i]);
}

#define FOUR { set_own }, { set_own }, { set_own }, { set_own }
CHECK_SCENARIO(threads, .finally = all_are_set, .threads = { FOUR, FOUR, FOUR, FOUR });

static void write_often(int n)
{
	for (int i = 0; i < n; i++)
		atomic_store_explicit(&word, i, memory_order_relaxed);
}

static void write_4000(void *arg)
{
	write_often(4000);
}

static void write_4095(void *arg)
{
	write_often(4095);
}

/*
 * Reads no location of the other thread, because each load would explore all 4,000 of its writes.
 */
static void read_own(void *arg)
{
	for (int i = 0; i < 80; i++)
		atomic_load_explicit(&words[0], memory_order_relaxed);
}

CHECK_SCENARIO(events, .threads = { { write_4000 }, { read_own } });
CHECK_SCENARIO(too_many_events, .threads = { { write_4095 }, { read_own } });

static void *do_nothing(void *arg)
{
	atomic_load(&word);
	return NULL;
}

static void start_16(void *arg)
{
	pthread_t thread;

	for (int i = 0; i < 16; i++)
		pthread_create(&thread, NULL, do_nothing, NULL);
}

CHECK_SCENARIO(too_many_threads, .threads = { { start_16 } });

/* A waiter's place in a queue is its number: T0 and T8, T7 and T15 must not be the same. */
static uint32_t futex;

static void wait_for_wake(void *arg)
{
	while (__atomic_load_n(&futex, __ATOMIC_ACQUIRE) == 0)
		check_futex_wait(&futex, 0, false);
}

static void wake_all(void *arg)
{
	__atomic_store_n(&futex, 1, __ATOMIC_RELEASE);
	check_futex_wake(&futex, 16);
}

static void wake_one(void *arg)
{
	__atomic_store_n(&futex, 1, __ATOMIC_RELEASE);
	check_futex_wake(&futex, 1);
}

CHECK_SCENARIO(high_waits, .threads = { [0] = { wait_for_wake }, [8] = { wait_for_wake }, [3] = { wake_all } });
CHECK_SCENARIO(high_is_forgotten, .threads = { [7] = { wait_for_wake }, [15] = { wait_for_wake },
					       [3] = { wake_one } });

/* When no thread wakes them, the waiters come one after the other. */
static void wait_for_nobody(void *arg)
{
	check_futex_wait(&futex, 0, false);
}

CHECK_SCENARIO(too_many_waiters, .may_block = true, .preemptions = 1,
	       .threads = { { wait_for_nobody }, { wait_for_nobody }, { wait_for_nobody }, { wait_for_nobody },
			    { wait_for_nobody }, { wait_for_nobody }, { wait_for_nobody }, { wait_for_nobody },
			    { wait_for_nobody } });
