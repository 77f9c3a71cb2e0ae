/* SPDX-License-Identifier: MIT */
/* Loops that are cut into ranges: for_spec.c. */
#ifndef NAP_FOR_SPEC_H
#define NAP_FOR_SPEC_H

#include "spec.h"

#define SPEC_INDICES 8u
#define SPEC_VALUE 64u	/* bytes */

struct spec_loop {
	const struct nap_loop *how;
	/* runs one */
	void (*range)(struct spec_loop *loop, size_t begin, size_t end, void *value);
	void (*fn)(void);		/* the program's */
	const struct nap_reduction *by;	/* or NULL: the loop has no value */
	void *arg;
	uint32_t lock;			/* of the fields below */
	uint32_t ended;			/* also read without the lock */
	bool by_range;			/* ended by a range, not by a stop or the timeout */
	size_t first;			/* where the range begins that has ended it */
	int value;
	size_t index;			/* of a match */
};
struct loop_part {
	struct spec_loop *loop;
	size_t begin, end;
	void *value;			/* of the indices before */
};

/* Puts the value of no index to @value, and returns it. */
void *spec_nothing(const struct nap_reduction *by, void *value);

/* Runs the loop. Returns 0, an error, or the value that has ended it. */
int spec_loop(struct nap_pool *pool, struct spec_loop *loop, size_t begin, size_t end, void *value);

/* At @begin the loop ends with @value: @by_range, or by a stop or its time. @index: of a match. */
void spec_loop_ends(struct spec_loop *loop, size_t begin, int value, bool by_range, size_t index);

#endif /* NAP_FOR_SPEC_H */
