/* SPDX-License-Identifier: MIT */
/*
 * The functions that C++ compilers call (Itanium C++ ABI).
 *
 * Section 3.3.3: static objects in functions. The first thread to come constructs the object, the
 * others wait. Before the call the compiler's own code reads the first byte, with acquire.
 *
 * Section 2.2: memory for exceptions. The memory is the program's, so it has the same address in
 * every execution, even if the execution before has left an exception behind.
 */
#include <dlfcn.h>
#include <string.h>

#include "program/caller.h"
#include "program/clock.h"
#include "program/events.h"
#include "program/heap.h"
#include "program/locations.h"
#include "program/locks.h"
#include "program/ops.h"
#include "program/stop.h"

/* A guard has 8 bytes: the first says that the object exists, the last four are the lock. */
static uint32_t *guard_lock(uint64_t *guard)
{
	return (uint32_t *)guard + 1;
}

/*
 * References to an exception are counted in the library, which is not compiled for the checker. A
 * thread that gives one back is ordered with those before, as by the count: the last thread
 * destroys the exception. Without std::exception_ptr an exception has one thread only.
 */
typedef void reference_fn(void **exception);

static bool exceptions_shared;	/* in some execution */

static reference_fn *in_library(const char *name)
{
	return (reference_fn *)dlsym(RTLD_NEXT, name);
}

static void gives_back(const void *exception, uintptr_t pc)
{
	if (OUTSIDE || !exception)
		return;
	next_operation(pc);
	rmw_events(location_hidden(HIDDEN_EXCEPTION, (uintptr_t)exception), RMW_ADD, 1, 0, O_ACQ_REL,
		   O_ACQUIRE, 0, pc, executed);
}

#define RELEASE "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"

#pragma GCC visibility push(default)

reference_fn __wrap__ZNSt15__exception_ptr13exception_ptr10_M_releaseEv;
void __wrap__ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **exception)
{
	if (!OUTSIDE && !exceptions_shared) {
		exceptions_shared = true;
		must_restart();
	}
	gives_back(*exception, PC);
	in_library(RELEASE)(exception);
}

void __wrap___cxa_end_catch(void);
void __wrap___cxa_end_catch(void)
{
	void *exception = NULL;

	if (exceptions_shared && !OUTSIDE) {
		in_library("_ZSt17current_exceptionv")(&exception);
		gives_back(exception, PC);
		if (exception)
			in_library(RELEASE)(&exception);
	}
	((void (*)(void))dlsym(RTLD_NEXT, "__cxa_end_catch"))();
}

int __cxa_guard_acquire(uint64_t *guard);
int __cxa_guard_acquire(uint64_t *guard)
{
	lock_take(guard_lock(guard), LOCK_NORMAL, false, "the static object of", PC);
	if (!op_load(guard, 1, O_RELAXED, PC))
		return 1;
	lock_release(guard_lock(guard), LOCK_NORMAL, "the static object of", PC);
	return 0;
}

void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard)
{
	op_store(guard, 1, 1, O_RELEASE, PC);
	lock_release(guard_lock(guard), LOCK_NORMAL, "the static object of", PC);
}

void __cxa_guard_abort(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard)
{
	lock_release(guard_lock(guard), LOCK_NORMAL, "the static object of", PC);
}

/* The size of what GCC's library puts before the object that is thrown. */
#define EXCEPTION_HEADER 128

void *__cxa_allocate_exception(size_t size);
void *__cxa_allocate_exception(size_t size)
{
	char *mem = heap_alloc(EXCEPTION_HEADER + size, true, PC);

	return (char *)memset(mem, 0, EXCEPTION_HEADER) + EXCEPTION_HEADER;
}

void __cxa_free_exception(void *object);
void __cxa_free_exception(void *object)
{
	heap_free((char *)object - EXCEPTION_HEADER, PC);
}

/* The clocks of std::chrono, which are in the library and would ask the system. */
static int64_t ns_now(void)
{
	return clocks[self].tv_sec * 1000000000l + clocks[self].tv_nsec;
}

#define NOW(CLOCK)							\
int64_t __wrap__ZNSt6chrono3_V212##CLOCK##3nowEv(void);			\
int64_t __wrap__ZNSt6chrono3_V212##CLOCK##3nowEv(void)			\
{									\
	return ns_now();						\
}

NOW(steady_clock)
NOW(system_clock)
