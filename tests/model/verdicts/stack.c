/* SPDX-License-Identifier: MIT */
/*
 * A stack whose size the user gives.
 *
 * options --stack=64
 * verdict shallow: no fault
 * verdict deep: found: stack overflow: T1 has used up its stack, 64 KiB
 * verdict deep_lock: found: stack overflow: T0 has used up its stack, 64 KiB
 * verdict deep_yield: found: stack overflow: T0 has used up its stack, 64 KiB
 * verdict deep_malloc: found: stack overflow: T0 has used up its stack, 64 KiB
 */
#include <nap/check.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int word;

static void go_down(int n)
{
	volatile char frame[4096];

	frame[0] = (char)n;
	atomic_load(&word);
	if (n)
		go_down(n - 1);
	frame[1] = 1;
}

static void go_down_10(void *arg)
{
	go_down(10);
}

static void go_down_30(void *arg)
{
	go_down(30);
}

static void write(void *arg)
{
	atomic_store(&word, 1);
}

CHECK_SCENARIO(shallow, .threads = { { write }, { go_down_10 } });
CHECK_SCENARIO(deep, .threads = { { write }, { go_down_30 } });

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock_deep(void *arg)
{
	volatile char frame[65536];

	frame[0] = 1;
	pthread_mutex_lock(&mutex);
}

static void yield_deep(void *arg)
{
	volatile char frame[65536];

	frame[0] = 1;
	sched_yield();
}

static void allocate_deep(void *arg)
{
	volatile char frame[65536];

	frame[0] = 1;
	free(malloc(8));
}

CHECK_SCENARIO(deep_lock, .threads = { { lock_deep } });
CHECK_SCENARIO(deep_yield, .threads = { { yield_deep } });
CHECK_SCENARIO(deep_malloc, .threads = { { allocate_deep } });
