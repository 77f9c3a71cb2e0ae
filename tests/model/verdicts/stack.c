/* SPDX-License-Identifier: MIT */
/*
 * A stack of a size that the user gives.
 *
 * options --stack=64
 * verdict shallow: no fault
 * verdict deep: found: stack overflow: T1 has used up its stack, 64 KiB
 */
#include <nap/check.h>
#include <stdatomic.h>

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
