/* SPDX-License-Identifier: MIT */
/*
 * Linked into a program. Stands for a race detector there: the library takes the program for one
 * with ThreadSanitizer (src/os/hosted/happens.c), and so tells everything that it has to tell.
 * Aborts if a thread does not call unseen_begin() and unseen_end() in turn (src/os/happens.h), or
 * ends between the two. If unseen_end() is missing on one of the ways out of a call, the next call
 * begins twice. If unseen_begin() is missing, or a public call is inside another one, a call ends
 * twice.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "wrap.h"

/* The prototypes are the tool's. */
void __tsan_acquire(void *at);
void __tsan_release(void *at);
void __tsan_func_entry(void *caller);

/* A program may have its own of the first two. */
__attribute__((weak)) void __tsan_acquire(void *at)
{
	(void)at;
}

__attribute__((weak)) void __tsan_release(void *at)
{
	(void)at;
}

void __tsan_func_entry(void *caller)
{
	(void)caller;
}

extern char __executable_start[];
static __thread bool is_unseen;
static pthread_key_t at_end;

static void fail(const char *what, void *caller)
{
	fprintf(stderr, "unseen_%s in the call before address 0x%zx (addr2line)\n", what,
		(size_t)((char *)caller - __executable_start));
	abort();
}

static void check_end(void *unused)
{
	(void)unused;
	if (is_unseen)
		fail("begin(), and the thread ends,", __executable_start);
}

static __attribute__((constructor)) void begin(void)
{
	if (pthread_key_create(&at_end, check_end))
		abort();
}

/* Not inlined, because a fiber may go on in another thread. */
WRAP(void, nap__tell_unseen, (bool unseen))
{
	int saved = errno;

	if (unseen == is_unseen)
		fail(unseen ? "begin() twice" : "end() twice", __builtin_return_address(0));
	is_unseen = unseen;
	pthread_setspecific(at_end, unseen ? &is_unseen : NULL);
	errno = saved;
	__real_nap__tell_unseen(unseen);
}
