/* SPDX-License-Identifier: MIT */
/* The bounds of the calling thread's stack. */
#include "os/os.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>

#include "arch/syscall.h"

#define UNKNOWN_STACK	(64u << 10)

/*
 * Finds the stack of the process's first thread from the kernel. A libc may know only the part that
 * was touched so far (musl), or read /proc (glibc), which a sandbox may forbid. The program's name
 * (AT_EXECFN) lies at the top of this stack. False: @here is on another stack. (In the child of a
 * fork the first thread may run on a stack of the libc.)
 */
static bool first_stack(uintptr_t here, uintptr_t *low, size_t *size)
{
	uintptr_t top = getauxval(AT_EXECFN);

	/* A thread that is not the first needs only these two system calls. */
	if (nap__syscall0(NAP__NR_gettid) != nap__syscall0(NAP__NR_getpid))
		return false;
	*size = nap__os_stack_limit();
	*low = top - *size;
	return here < top && top - here <= *size;
}

/* Finds a stack that the libc knows. */
static bool thread_stack(pthread_t thread, uintptr_t *low, size_t *size)
{
	pthread_attr_t attr;
	void *lowest;
	int state, err;

	/* The libc may read a file here, which is a cancellation point. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	err = pthread_getattr_np(thread, &attr);
	pthread_setcancelstate(state, NULL);
	if (err)
		return false;
	err = pthread_attr_getstack(&attr, &lowest, size);
	*low = (uintptr_t)lowest;
	pthread_attr_destroy(&attr);
	return !err;
}

/* Finds the bounds of the calling thread's stack. False: unknown. */
static bool own_stack(uintptr_t *low, size_t *size)
{
	int saved = errno;
	bool known = first_stack((uintptr_t)__builtin_frame_address(0), low, size) ||
		     thread_stack(pthread_self(), low, size);

	errno = saved;
	return known;
}

uintptr_t nap__os_stack_half(void)
{
	uintptr_t low;
	size_t size;

	if (own_stack(&low, &size))
		return low + size / 2;
	/* The stack is assumed to have at least UNKNOWN_STACK bytes. */
	return (uintptr_t)__builtin_frame_address(0) - UNKNOWN_STACK / 2;
}

uintptr_t nap__os_stack_half_of(uintptr_t handle)
{
	pthread_t thread;
	uintptr_t low;
	size_t size;

	memcpy(&thread, &handle, sizeof(thread));
	return thread_stack(thread, &low, &size) ? low + size / 2 : 0;
}

bool nap__os_on_stack(uintptr_t address)
{
	uintptr_t low;
	size_t size;

	return own_stack(&low, &size) && address - low < size;
}
