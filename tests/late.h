/* SPDX-License-Identifier: MIT */
/*
 * Bounds on the time of repetitions. On a loaded machine each repetition may take a time slice, if
 * its threads wait for each other; then the test repeats less.
 */
#ifndef NAP_TESTS_LATE_H
#define NAP_TESTS_LATE_H

#include <stdbool.h>

#include "arch/atomic.h"
#include "os/os.h"

#define LATE_NS 10000000000u

/* nap_test_late() - whether this process, which is one test, has repeated for long enough */
static inline bool nap_test_late(void)
{
	static uint64_t first;

	if (!nap_load_relaxed(&first))
		nap_store_relaxed(&first, nap__os_now());
	return nap__os_now() - nap_load_relaxed(&first) > LATE_NS;
}

/* nap_test_again() - whether to do round @i (from 0) of @rounds; always true for the first round */
static inline bool nap_test_again(unsigned long i, unsigned long rounds)
{
	return i == 0 || (i < rounds && !nap_test_late());
}

#endif /* NAP_TESTS_LATE_H */
