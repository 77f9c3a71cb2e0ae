/* SPDX-License-Identifier: MIT */
/*
 * What a user's race detector is told. The library's atomic operations are none that it knows, so
 * it cannot see that a task begins after it was scheduled. So each such promise of the headers is
 * said here: the thread that acts first calls happens_before() with an address, the one that acts
 * after that calls happens_after() with the same.
 *
 * ThreadSanitizer sees the program's accesses and, in a release build, none of the library's. For
 * valgrind's helgrind and drd, which see all, the library says where it begins and where it ends:
 * public calls, except callbacks, are between unseen_begin() and unseen_end(), which do not nest.
 * helgrind goes on recording there, so it is also told of memory that the program gets back. (What
 * the inline functions of the headers use, no other thread touches: where a detector watches, every
 * fork is published.)
 *
 * Without a detector each is one test of a byte; the shortest calls ask once for all.
 */
#ifndef NAP_HAPPENS_H
#define NAP_HAPPENS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef NAP_NO_DETECTOR		/* the bare library, and the model checker */
#define is_detected() false
#else
/*
 * True until src/os/hosted/happens.c has found that nobody watches; never in a library that is
 * built with ThreadSanitizer itself.
 */
extern bool nap__detected __attribute__((visibility("hidden")));
#define is_detected() __builtin_expect(nap__detected, 0)
#endif

/* src/os/hosted/happens.c: where one was detected. */
void nap__tell_before(const void *at);
void nap__tell_after(const void *at);
void nap__tell_unseen(bool unseen);
void nap__tell_still(void);
void nap__tell_given(const void *at, size_t size);

/* What this thread has done is before what others do who say happens_after(@at) later. */
static inline void happens_before(const void *at)
{
	if (is_detected())
		nap__tell_before(at);
}

static inline void happens_after(const void *at)
{
	if (is_detected())
		nap__tell_after(at);
}

/* What this thread does next is nap's own affair. */
static inline void unseen_begin(void)
{
	if (is_detected())
		nap__tell_unseen(true);
}

/* The program's again. */
static inline void unseen_end(void)
{
	if (is_detected())
		nap__tell_unseen(false);
}

/* After a function of the libc's in which drd has begun to record again: have it stop. */
static inline void unseen_still(void)
{
	if (is_detected())
		nap__tell_still();
}

/* Whatever nap has done there, @at is the calling thread's now. */
static inline void is_given(const void *at, size_t size)
{
	if (is_detected())
		nap__tell_given(at, size);
}

#endif /* NAP_HAPPENS_H */
