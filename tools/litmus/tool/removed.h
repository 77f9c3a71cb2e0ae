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
 * Finds the accesses and dependencies that a thread of @written has, and that no path of the thread
 * has in @compiled. Returns how many. An access has @from alone. That a write depends on the read
 * of its own operation is no dependency here.
 */
unsigned removed_of(struct test *written, struct test *compiled, unsigned unroll,
		    struct removed *removed);

#endif /* NAP_LITMUS_REMOVED_H */
