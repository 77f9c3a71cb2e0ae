/* SPDX-License-Identifier: MIT */
/* Memory of a tool that has nothing to save when there is none. */
#ifndef TRACE_MEMORY_H
#define TRACE_MEMORY_H

#include <stdio.h>
#include <stdlib.h>

/* realloc() to @nr elements of @each bytes. */
static inline void *resize(void *memory, size_t nr, size_t each)
{
	void *larger = reallocarray(memory, nr ? nr : 1, each);

	if (!larger) {
		fprintf(stderr, "nap-trace: no memory for %zu times %zu bytes\n", nr, each);
		exit(2);
	}
	return larger;
}

/* Room for one more in an array of @nr elements, which doubles. */
static inline void *grow(void *memory, size_t nr, size_t each)
{
	return nr & (nr - 1) ? memory : resize(memory, nr ? 2 * nr : 1, each);
}

#endif /* TRACE_MEMORY_H */
