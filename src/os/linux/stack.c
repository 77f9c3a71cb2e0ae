/* SPDX-License-Identifier: MIT */
#include "os/linux/stack.h"

#include <stdint.h>

#include "arch/syscall.h"

#define RLIMIT_STACK	3

/*
 * The kernel keeps 128 MiB clear of other mappings, or as much as the limit was when the program
 * began. Half of that is believed in, so a limit that was raised since, or that is none, does not
 * lead into other mappings.
 */
#define KEPT_CLEAR	((size_t)64 << 20)

size_t nap__os_stack_limit(void)
{
	struct {
		uint64_t soft, hard;
	} limit = { 0, 0 };

	nap__syscall4(NAP__NR_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit);
	return limit.soft < KEPT_CLEAR ? (size_t)limit.soft : KEPT_CLEAR;
}
