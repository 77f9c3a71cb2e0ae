/* SPDX-License-Identifier: MIT */
/*
 * What a race detector is told. A detector does not recognise the library's atomic operations, so
 * it cannot see that a task begins after it was scheduled. So each order that the headers promise
 * is declared here: the thread that acts first calls happens_before() with an address, and the
 * thread that acts later calls happens_after() with the same address.
 *
 * ThreadSanitizer sees the program's accesses and, in a release build, none of the library's. For
 * valgrind's helgrind and drd, which see all, the library marks where it begins and where it ends:
 * public calls, except callbacks, are between unseen_begin() and unseen_end(), which do not nest.
 * Between these helgrind goes on recording, so it is also told of memory that the program gets
 * back. (No other thread touches what the inline functions of the headers use: under a detector
 * every fork is published.)
 *
 * Without a detector each call is one test of a byte; the shortest public calls test once for all.
 */
#ifndef NAP_HAPPENS_H
#define NAP_HAPPENS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef NAP_NO_DETECTOR		/* the bare library, and the model checker */
#define is_detected() false
#else
/*
 * True until src/os/hosted/happens.c has found that no detector watches; always false in a library
 * that is built with ThreadSanitizer itself.
 */
extern bool nap__detected __attribute__((visibility("hidden")));
#define is_detected() __builtin_expect(nap__detected, 0)
#endif

/* src/os/hosted/happens.c: called if a detector was found. */
void nap__tell_before(const void *at);
void nap__tell_after(const void *at);
void nap__tell_unseen(bool unseen);
void nap__tell_still(void);
void nap__tell_given(const void *at, size_t size);

/* What this thread has done is ordered before what follows another's later happens_after(@at). */
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

/* From here on the thread's accesses are nap's own. */
static inline void unseen_begin(void)
{
	if (is_detected())
		nap__tell_unseen(true);
}

/* From here on the thread's accesses are the program's again. */
static inline void unseen_end(void)
{
	if (is_detected())
		nap__tell_unseen(false);
}

/* Stops drd's recording again, after a function of the libc that has begun it. */
static inline void unseen_still(void)
{
	if (is_detected())
		nap__tell_still();
}

/* The memory at @at is the calling thread's now, whatever nap has done there. */
static inline void is_given(const void *at, size_t size)
{
	if (is_detected())
		nap__tell_given(at, size);
}

#endif /* NAP_HAPPENS_H */
