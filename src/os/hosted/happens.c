/* SPDX-License-Identifier: MIT */
/*
 * Finds out which race detector watches, and how to notify it.
 *
 * ThreadSanitizer in the program: gcc's and clang's runtimes both have two functions to declare an
 * order that the runtime does not see (compiler-rt, tsan_interface.h). A library that was built
 * with ThreadSanitizer itself declares nothing, because the tool sees and checks its atomic
 * operations. Go's race detector has two functions of the same names, which only goroutines may
 * call. But Go's detector lacks __tsan_func_entry(), which compiled C code calls: so it is not
 * taken for ThreadSanitizer.
 *
 * helgrind and drd: by requests, whose numbers programs may rely on (valgrind.h, helgrind.h and
 * drd.h of valgrind 3.19). Both have the same two requests for an order. drd can be told not to
 * record a thread's accesses. helgrind can be told only not to report a thread's conflicts: the
 * accesses are recorded, and another thread's may conflict with them later, unless helgrind is
 * told to forget the memory, or to ignore it.
 */
#include "os/happens.h"

#include <stdint.h>

#include "arch/atomic.h"
#include "valgrind.h"

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

enum { UNKNOWN, NOBODY, TSAN, HELGRIND, DRD };

#define OF_TOOL(a, b)		((uint64_t)(a) << 24 | (uint64_t)(b) << 16)
#define RUNNING_ON_VALGRIND	0x1001
#define CHANGE_ERR_DISABLEMENT	0x1801
#define HG_CLEAN_MEMORY		OF_TOOL('H', 'G')
/* drd's happens-before has this number, too */
#define HG_SEND_PRE		(OF_TOOL('H', 'G') + 0x121)
/* drd's happens-after has this number, too */
#define HG_RECV_POST		(OF_TOOL('H', 'G') + 0x122)
#define HG_MAKE_UNTRACKED	(OF_TOOL('H', 'G') + 0x127)
#define HG_GET_ABITS		(OF_TOOL('H', 'G') + 0x12e)
#define DRD_GET_THREAD_ID	(OF_TOOL('D', 'R') + 1)
#define DRD_RECORD_LOADS	(OF_TOOL('D', 'R') + 6)
#define DRD_RECORD_STORES	(OF_TOOL('D', 'R') + 7)

void __tsan_acquire(void *at) __attribute__((weak));
void __tsan_release(void *at) __attribute__((weak));
void __tsan_func_entry(void *caller) __attribute__((weak));

bool nap__detected = !IS_SEEN;
static uint32_t known;		/* atomic: the detector that watches, once it is known */
static __thread bool is_unseen;

static uint64_t request(uint64_t number, uintptr_t first, uint64_t second, uint64_t third)
{
	const uint64_t request[] = { number, first, second, third, 0, 0 };

	return nap__valgrind(request, 0);
}

/*
 * Returns the detector. drd answers DRD_GET_THREAD_ID with a number above 0; helgrind answers
 * HG_GET_ABITS, here for one byte at @known, with 1. Other tools of valgrind answer both with 0.
 */
static uint32_t ask(void)
{
	if (__tsan_acquire && __tsan_release && __tsan_func_entry)
		return TSAN;
	if (!request(RUNNING_ON_VALGRIND, 0, 0, 0))
		return NOBODY;
	if (request(DRD_GET_THREAD_ID, 0, 0, 0))
		return DRD;
	return request(HG_GET_ABITS, (uintptr_t)&known, 0, 1) ? HELGRIND : NOBODY;
}

static void tell_unseen(uint32_t found, bool unseen)
{
	if (found == HELGRIND) {
		request(CHANGE_ERR_DISABLEMENT, (uintptr_t)(unseen ? 1 : -1), 0, 0);
	} else if (found == DRD) {
		request(DRD_RECORD_LOADS, !unseen, 0, 0);
		request(DRD_RECORD_STORES, !unseen, 0, 0);
	}
}

/*
 * Finds the detector once, before the library does anything else. Several threads may do so at the
 * same time.
 */
static uint32_t watcher(void)
{
	uint32_t found = nap_load_relaxed(&known);

	if (found == UNKNOWN) {
		found = ask();
		tell_unseen(found, true);
		/*
		 * Two threads may store to @known at once, which is no fault: both store the same
		 * value.
		 */
		if (found == HELGRIND)
			request(HG_MAKE_UNTRACKED, (uintptr_t)&known, sizeof(known), 0);
		nap_store_relaxed(&known, found);
		tell_unseen(found, false);
	}
	/*
	 * A thread that has found no detector clears nap__detected. A pool whose first use was
	 * earlier stays on the slow paths.
	 */
	if (found == NOBODY)
		nap__detected = false;
	return found;
}

/*
 * This function and the next one use the thread-local is_unseen. They are not inlined, so that each
 * call finds the variable's address anew, because a fiber may continue on another thread
 * (src/worker/self.h).
 */
__attribute__((noinline)) void nap__tell_unseen(bool unseen)
{
	tell_unseen(watcher(), unseen);
	is_unseen = unseen;
}

__attribute__((noinline)) void nap__tell_still(void)
{
	if (is_unseen && watcher() == DRD)
		tell_unseen(DRD, true);
}

void nap__tell_given(const void *at, size_t size)
{
	if (watcher() == HELGRIND)
		request(HG_CLEAN_MEMORY, (uintptr_t)at, size, 0);
}

/*
 * Returns a name for @at that is no address: a stack may later have a mutex at @at, and drd allows
 * one object for each address.
 */
static uintptr_t name_of(const void *at)
{
	return ~(uintptr_t)at;
}

void nap__tell_before(const void *at)
{
	uint32_t found = watcher();

	if (found == TSAN)
		__tsan_release((void *)at);
	else if (found != NOBODY)
		request(HG_SEND_PRE, name_of(at), 0, 0);
}

void nap__tell_after(const void *at)
{
	uint32_t found = watcher();

	if (found == TSAN)
		__tsan_acquire((void *)at);
	else if (found != NOBODY)
		request(HG_RECV_POST, name_of(at), 0, 0);
}
