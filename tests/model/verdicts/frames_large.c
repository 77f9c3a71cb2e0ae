/* SPDX-License-Identifier: MIT */
/*
 * Frames that are larger than the gap between two stacks.
 *
 * verdict of_first: found: stack overflow: T0 has used up its stack, 2048 KiB
 * verdict of_second: found: stack overflow: T1 has used up its stack, 2048 KiB
 * verdict of_others: found: stack overflow: T1 has used up its stack, 2048 KiB
 * verdict huge: found: stack overflow: T0 has used up its stack, 2048 KiB
 */
#include <nap/check.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int word;

static void use_4_mib(void *arg)
{
	volatile char frame[4 << 20];

	frame[0] = 1;
	atomic_store(&word, frame[0]);
}

static void allocate_4_mib(void *arg)
{
	volatile char frame[4 << 20];

	free(malloc(8));
	frame[0] = 1;
}

static void use_40_mib(void *arg)
{
	volatile char frame[40 << 20];

	frame[40] = 1;
}

static void write(void *arg)
{
	atomic_store(&word, 1);
}

CHECK_SCENARIO(of_first, .threads = { { use_4_mib } });
CHECK_SCENARIO(of_second, .threads = { { write }, { use_4_mib } });
CHECK_SCENARIO(of_others, .threads = { { write }, { allocate_4_mib } });
CHECK_SCENARIO(huge, .threads = { { use_40_mib } });
