/* SPDX-License-Identifier: MIT */
/*
 * A sequence lock (Boehm: Can seqlocks get along with programming language memory models?, MSPC
 * 2012, figure 6): readers write nothing, and read again if a writer has come between.
 *
 *	nap-check seqlock.c
 *	nap-check -DSEEDED_FAULT seqlock.c	# no fence: the last load may come too early
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int x, y;

static void write_both(int value)
{
	unsigned before = atomic_load_explicit(&sequence, memory_order_relaxed);

	atomic_store_explicit(&sequence, before + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&x, value, memory_order_relaxed);
	atomic_store_explicit(&y, value, memory_order_relaxed);
	atomic_store_explicit(&sequence, before + 2, memory_order_release);
}

static void read_both(int *a, int *b)
{
	unsigned before, after;

	do {
		before = atomic_load_explicit(&sequence, memory_order_acquire);
		*a = atomic_load_explicit(&x, memory_order_relaxed);
		*b = atomic_load_explicit(&y, memory_order_relaxed);
#ifndef SEEDED_FAULT
		atomic_thread_fence(memory_order_acquire);
#endif
		after = atomic_load_explicit(&sequence, memory_order_relaxed);
	} while (before != after || before % 2);
}

static void *write_twice(void *arg)
{
	write_both(1);
	write_both(2);
	return arg;
}

int main(void)
{
	pthread_t writer;
	int a, b;

	pthread_create(&writer, NULL, write_twice, NULL);
	read_both(&a, &b);
	assert(a == b);
	pthread_join(writer, NULL);
	return 0;
}
