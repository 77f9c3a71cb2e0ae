/* SPDX-License-Identifier: MIT */
/*
 * Notes the memory that a race detector is told of when the program gets it back, or its own
 * function may use it: is_given() in src/os/happens.h.
 */
#ifndef NAP_TESTS_GIVEN_H
#define NAP_TESTS_GIVEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/atomic.h"
#include "os/happens.h"
#include "wrap.h"

#define GIVEN_MOST	256u

/* the latest ones */
static struct {
	const void *at;
	size_t size;
} given[GIVEN_MOST];
static uint32_t nr_given;

WRAP(void, nap__tell_given, (const void *at, size_t size))
{
	uint32_t n = nap_fetch_add_relaxed(&nr_given, 1) % GIVEN_MOST;

	nap_store_relaxed(&given[n].size, size);
	nap_store_release(&given[n].at, at);
	__real_nap__tell_given(at, size);
}

/* Returns how often memory of @size bytes was given, at @at, or, if that is NULL, anywhere. */
static inline uint32_t count_given(const void *at, size_t size)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < GIVEN_MOST; i++)
		n += (at ? nap_load_acquire(&given[i].at) == at : !!given[i].at) &&
		     nap_load_relaxed(&given[i].size) == size;
	return n;
}

#define COUNT_GIVEN(object)	count_given(&(object), sizeof(object))

/* Whether the memory was given, perhaps as a part of more. */
static inline bool was_given(const void *at, size_t size)
{
	for (uint32_t i = 0; i < GIVEN_MOST; i++) {
		const char *from = nap_load_acquire(&given[i].at);

		if (from && from <= (const char *)at &&
		    from + nap_load_relaxed(&given[i].size) >= (const char *)at + size)
			return true;
	}
	return false;
}

/* Called while no other thread is told. */
static inline void forget_given(void)
{
	for (uint32_t i = 0; i < GIVEN_MOST; i++)
		nap_store_relaxed(&given[i].at, NULL);
}

#endif /* NAP_TESTS_GIVEN_H */
