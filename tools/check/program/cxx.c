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
#include <string.h>

#include "program/caller.h"
#include "program/clock.h"
#include "program/heap.h"
#include "program/locks.h"
#include "program/ops.h"

/* A guard has 8 bytes: the first says that the object exists, the last four are the lock. */
static uint32_t *guard_lock(uint64_t *guard)
{
	return (uint32_t *)guard + 1;
}

#pragma GCC visibility push(default)

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
