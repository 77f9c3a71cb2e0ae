/* SPDX-License-Identifier: MIT */
/*
 * A vector stands for a set of events: it counts, for each thread, how many of the thread's first
 * events are in the set.
 */
#ifndef NAP_CHECK_VECTOR_H
#define NAP_CHECK_VECTOR_H

#include <stdint.h>

#include <nap/check.h>

#define MAX_THREADS	CHECK_THREADS

typedef int16_t vector __attribute__((vector_size(2 * MAX_THREADS)));

static inline void vector_join(vector *to, const vector *from)
{
	vector greater = *to > *from;

	*to = (*to & greater) | (*from & ~greater);
}

static inline int vector_get(const vector *v, unsigned thread)
{
	return ((const int16_t *)v)[thread];
}

static inline void vector_set(vector *v, unsigned thread, unsigned value)
{
	((int16_t *)v)[thread] = (int16_t)value;
}

#endif /* NAP_CHECK_VECTOR_H */
