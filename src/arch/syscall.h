/* SPDX-License-Identifier: MIT */
/*
 * System calls of fewer than six arguments, by the architecture's call with six: the remaining
 * arguments are zeros, which the kernel ignores. All return the kernel's answer, a negative errno
 * on failure.
 */
#ifndef NAP_SYSCALL_H
#define NAP_SYSCALL_H

#include <syscall.h>

static inline long nap__syscall5(long nr, long a, long b, long c, long d, long e)
{
	return nap__syscall6(nr, a, b, c, d, e, 0);
}

static inline long nap__syscall4(long nr, long a, long b, long c, long d)
{
	return nap__syscall6(nr, a, b, c, d, 0, 0);
}

static inline long nap__syscall3(long nr, long a, long b, long c)
{
	return nap__syscall6(nr, a, b, c, 0, 0, 0);
}

static inline long nap__syscall2(long nr, long a, long b)
{
	return nap__syscall6(nr, a, b, 0, 0, 0, 0);
}

static inline long nap__syscall1(long nr, long a)
{
	return nap__syscall6(nr, a, 0, 0, 0, 0, 0);
}

static inline long nap__syscall0(long nr)
{
	return nap__syscall6(nr, 0, 0, 0, 0, 0, 0);
}

#endif /* NAP_SYSCALL_H */
