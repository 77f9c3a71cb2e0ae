/* SPDX-License-Identifier: MIT */
/*
 * ThreadSanitizer, in the program or not: gcc's and clang's runtimes both have these two, for
 * synchronisation that they do not see (compiler-rt, tsan_interface.h). A library that was built
 * with ThreadSanitizer itself is seen, and says nothing: its own orders are what is to be judged.
 */
#include "happens.h"

#include <stddef.h>

#ifdef __has_feature
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || HAS_FEATURE(thread_sanitizer)
#define IS_SEEN true
#else
#define IS_SEEN false
#endif

void __tsan_acquire(void *at) __attribute__((weak));
void __tsan_release(void *at) __attribute__((weak));

bool nap__detected;

/* Before the program's own constructors: they may schedule, and start threads. */
static __attribute__((constructor(101))) void detect(void)
{
	nap__detected = !IS_SEEN && __tsan_acquire && __tsan_release;
}

void nap__tell_before(const void *at)
{
	__tsan_release((void *)at);
}

void nap__tell_after(const void *at)
{
	__tsan_acquire((void *)at);
}
