/* SPDX-License-Identifier: MIT */
/*
 * What the manual says that there is room for, under each model; and one more.
 *
 * verdict threads: no fault
 * verdict events: no fault
 * verdict too_many_events: undecided: the bound on an execution's length
 * verdict too_many_threads: undecided: the bound on threads
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

/* Of another thread's location: a second of 4,000 would be explored at each. */
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
