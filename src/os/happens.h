/* SPDX-License-Identifier: MIT */
/*
 * What nap tells a race detector. A detector does not recognise the library's atomic operations, so
 * it cannot know that the call that schedules a task comes before the task runs. So each order that
 * nap's public headers promise is declared by these functions: the thread that acts first calls
 * happens_before() with an address, and the thread that acts later calls happens_after() with the
 * same address.
 *
 * ThreadSanitizer sees the program's accesses and, in a release build, none of the library's.
 * valgrind's helgrind and drd see the library's accesses, too. For these two the library marks
 * where its own code begins and ends: public calls, except callbacks, are between unseen_begin()
 * and unseen_end(), which do not nest. helgrind goes on recording between the marks. So is_given()
 * makes helgrind forget what nap did to memory that the program gets back. (The inline functions of
 * the headers have no marks. No other thread touches their data, because under a detector every
 * fork of a job takes the slow path.)
 *
 * Without a detector each of these calls is one test of a byte; the shortest public calls of nap
 * test the byte once, instead of calling these functions.
 */
#ifndef NAP_HAPPENS_H
#define NAP_HAPPENS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef NAP_NO_DETECTOR		/* in the bare library and the model checker */
#define is_detected() false
#else
/*
 * True until src/os/hosted/happens.c has found that no detector watches; always false in a library
 * that is built with ThreadSanitizer itself.
 */
extern bool nap__detected __attribute__((visibility("hidden")));
#define is_detected() __builtin_expect(nap__detected, 0)
#endif

/* These functions are called if a detector was found: src/os/hosted/happens.c. */
void nap__tell_before(const void *at);
void nap__tell_after(const void *at);
void nap__tell_unseen(bool unseen);
void nap__tell_still(void);
void nap__tell_given(const void *at, size_t size);

/*
 * Declares that this thread's accesses until now come before the accesses after another thread's
 * later happens_after(@at).
 */
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

/* Declares that the thread's following accesses are nap's own. */
static inline void unseen_begin(void)
{
	if (is_detected())
		nap__tell_unseen(true);
}

/* Declares that the thread's following accesses are the program's. */
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

/* Declares that the memory at @at is the calling thread's now, whatever nap has done there. */
static inline void is_given(const void *at, size_t size)
{
	if (is_detected())
		nap__tell_given(at, size);
}

/*
 * Makes both declarations for memory that another thread has published by happens_before(@at), and
 * then pushed into a queue: the detector also forgets the writes of this push.
 */
static inline void is_received(const void *at, size_t size)
{
	happens_after(at);
	is_given(at, size);
}

#endif /* NAP_HAPPENS_H */
