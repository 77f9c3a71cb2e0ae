/* SPDX-License-Identifier: MIT */
/* Where the calling thread's stack lies. */
#include "os/os.h"

#include <errno.h>
#include <pthread.h>
#include <sys/auxv.h>

#include "arch/syscall.h"

#define UNKNOWN_STACK	(64u << 10)

/*
 * The process's first thread's, by what the kernel says. A libc may say how much of it has been
 * touched by now (musl), or read /proc for it (glibc), which a sandbox may forbid. The name of the
 * program stands at the stack's top. False: @here is on another. By the address, too: in the child
 * of a fork the first thread may be one that had its stack from a libc.
 */
static bool first_stack(uintptr_t here, uintptr_t *low, size_t *size)
{
	uintptr_t top = getauxval(AT_EXECFN);

	/* Another thread than the first: nothing but the two numbers is asked of the system. */
	if (nap__syscall0(NAP__NR_gettid) != nap__syscall0(NAP__NR_getpid))
		return false;
	*size = nap__os_stack_limit();
	*low = top - *size;
	return here < top && top - here <= *size;
}

/* One that the libc knows. */
static bool thread_stack(uintptr_t *low, size_t *size)
{
	pthread_attr_t attr;
	void *lowest;
	int state, err;

	/* libc may read a file. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	err = pthread_getattr_np(pthread_self(), &attr);
	pthread_setcancelstate(state, NULL);
	if (err)
		return false;
	err = pthread_attr_getstack(&attr, &lowest, size);
	*low = (uintptr_t)lowest;
	pthread_attr_destroy(&attr);
	return !err;
}

/* False: nobody says. */
static bool own_stack(uintptr_t *low, size_t *size)
{
	int saved = errno;
	bool known = first_stack((uintptr_t)__builtin_frame_address(0), low, size) ||
		     thread_stack(low, size);

	errno = saved;
	return known;
}

uintptr_t nap__os_stack_half(void)
{
	uintptr_t low;
	size_t size;

	if (own_stack(&low, &size))
		return low + size / 2;
	/* There is that much at least. */
	return (uintptr_t)__builtin_frame_address(0) - UNKNOWN_STACK / 2;
}

bool nap__os_on_stack(uintptr_t address)
{
	uintptr_t low;
	size_t size;

	return own_stack(&low, &size) && address - low < size;
}
