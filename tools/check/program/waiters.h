/* SPDX-License-Identifier: MIT */
/* libstdc++'s count of the threads that wait for an atomic variable: waiters.c. */
#ifndef NAP_CHECK_WAITERS_H
#define NAP_CHECK_WAITERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* Where libstdc++ keeps its counts and the words that threads sleep on; size 0: nowhere. */
extern uintptr_t waiters_begin;
extern size_t waiters_size;

void waiters_find(void);	/* before anything is run */

/* The first half of an entry of the table has the count. */
#define WAITERS_ENTRY	128u

static inline bool is_waiters_count(const void *p)
{
	uintptr_t offset = (uintptr_t)p - waiters_begin;

	return __builtin_expect(offset < waiters_size, 0) &&
	       offset % WAITERS_ENTRY < WAITERS_ENTRY / 2;
}

#pragma GCC visibility pop

#endif /* NAP_CHECK_WAITERS_H */
