/* SPDX-License-Identifier: MIT */
/*
 * How deep threads' stacks may get, while the checker works on the same stacks. nap_check.sh uses
 * this file as it uses faults.c.
 */
#include <nap/check.h>
#include <stdatomic.h>
#include <string.h>

static _Atomic uint32_t flag, pad;
static int data;

static void load_once(void *arg)
{
	atomic_load_explicit(&flag, memory_order_relaxed);
}

/*
 * Goes down the stack in small steps; step_over() takes one step, larger than other threads'
 * stacks.
 */
static int go_down(int n)
{
	volatile int here = n;

	return n ? go_down(n - 1) + here : here;
}

static void go_down_for_ever(void *arg)
{
	data = go_down(1 << 30);
}

static void use_first(volatile char *large)
{
	large[0] = 1;
}

static void step_over(void *arg)
{
	char large[3 << 20];

	use_first(large);
}

CHECK_SCENARIO(stack_overflow, .threads = { { load_once }, { go_down_for_ever } });
CHECK_SCENARIO(stack_stepped_over, .threads = { { load_once }, { step_over } });

static void use_large(void *arg)
{
	char large[100 << 10];

	memset(large, 1, sizeof(large));
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	CHECK(large[0] == 1 && large[sizeof(large) - 1] == 1);
}

CHECK_SCENARIO(large_frames, .threads = { { use_large }, { use_large } });

/*
 * The longest walk through a graph: a load misses the first write of two threads, and so comes
 * before all their writes. A sample makes this walk in the thread that loads. A sample changes
 * threads somewhere in its first 64 events, but never between the two events of a
 * read-modify-write, so some samples never change threads.
 */
#define MANY 650

static _Atomic uint32_t before[MANY], behind[MANY];

static void write_before(void *arg)
{
	for (int i = 0; i < 32; i++)
		atomic_fetch_add_explicit(&pad, 1, memory_order_relaxed);
	for (int i = 0; i < MANY; i++)
		atomic_store_explicit(&before[i], 1, memory_order_relaxed);
}

static void write_behind(void *arg)
{
	if (atomic_load_explicit(&before[MANY - 1], memory_order_relaxed))
		for (int i = 0; i < MANY; i++)
			atomic_store_explicit(&behind[i], 1, memory_order_relaxed);
}

static void miss_first(void *arg)
{
	atomic_load_explicit(&before[0], memory_order_relaxed);
}

CHECK_SCENARIO(long_walk, .models = CHECK_TSO, .random = 200,
	.threads = { { write_before }, { write_behind }, { miss_first } });
