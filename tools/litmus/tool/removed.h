/* SPDX-License-Identifier: MIT */
/* What a compiler has removed: accesses and dependencies that a test has as it is written. */
#ifndef NAP_LITMUS_REMOVED_H
#define NAP_LITMUS_REMOVED_H

#include "test/test.h"

#define REMOVED_MOST 64

struct removed {
	const char *what;		/* "the data dependency" */
	const char *from, *to;		/* places in the text of the test as it is written */
};

/*
 * Finds what @written has and @compiled has not, on no path of a thread; returns how many. An
 * access has @from alone. What one operation reads and writes is not looked at.
 */
unsigned removed_of(struct test *written, struct test *compiled, unsigned unroll,
		    struct removed *removed);

#endif /* NAP_LITMUS_REMOVED_H */
