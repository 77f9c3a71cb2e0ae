/* SPDX-License-Identifier: MIT */
/*
 * What a user's race detector is told. It sees the program's accesses and, in a release build, none
 * of the library's, so it cannot know that a task begins after it was scheduled: each such promise
 * of the headers is said here, by whoever comes first and by whoever comes then, with an address
 * that both know.
 *
 * Without a detector that is one test of a byte that nobody writes after the program has begun.
 */
#ifndef NAP_HAPPENS_H
#define NAP_HAPPENS_H

#include <stdbool.h>

#ifdef NAP_NO_DETECTOR		/* the bare library, and the model checker */
#define nap__detected false
#else
extern bool nap__detected __attribute__((visibility("hidden")));
#endif

/* src/hosted/happens.c: only where one was detected. */
void nap__tell_before(const void *at);
void nap__tell_after(const void *at);

/* What this thread has done is before what others do who say happens_after(@at) later. */
static inline void happens_before(const void *at)
{
	if (__builtin_expect(nap__detected, 0))
		nap__tell_before(at);
}

static inline void happens_after(const void *at)
{
	if (__builtin_expect(nap__detected, 0))
		nap__tell_after(at);
}

#endif /* NAP_HAPPENS_H */
