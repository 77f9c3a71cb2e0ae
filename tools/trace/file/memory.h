/* SPDX-License-Identifier: MIT */
/* Memory for a tool that may end when there is none, because it has nothing to save. */
#ifndef TRACE_MEMORY_H
#define TRACE_MEMORY_H

#include <stdio.h>
#include <stdlib.h>

/* Does realloc() to @nr elements of @each bytes. */
static inline void *resize(void *memory, size_t nr, size_t each)
{
	void *larger = reallocarray(memory, nr ? nr : 1, each);

	if (!larger) {
		fprintf(stderr, "nap-trace: no memory for %zu times %zu bytes\n", nr, each);
		exit(2);
	}
	return larger;
}

/* Makes room for one more element in an array of @nr, which doubles. */
static inline void *grow(void *memory, size_t nr, size_t each)
{
	return nr & (nr - 1) ? memory : resize(memory, nr ? 2 * nr : 1, each);
}

#endif /* TRACE_MEMORY_H */
