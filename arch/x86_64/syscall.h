/* SPDX-License-Identifier: MIT */
/*
 * System calls of Linux on x86-64: number in rax, arguments in rdi, rsi, rdx, r10, r8 and r9, the
 * result in rax. The instruction itself destroys rcx (where to return) and r11 (flags).
 *
 * All return the kernel's answer: a negative errno when the call failed. Fewer arguments are six
 * with zeros, which the kernel does not look at.
 */
#ifndef NAP_ARCH_SYSCALL_H
#define NAP_ARCH_SYSCALL_H

#define NAP__NR_futex 202

static inline long nap__syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 asm("r10") = d;
	register long r8 asm("r8") = e;
	register long r9 asm("r9") = f;

	asm volatile("syscall"
		     : "+a" (nr)
		     : "D" (a), "S" (b), "d" (c), "r" (r10), "r" (r8), "r" (r9)
		     : "rcx", "r11", "cc", "memory");
	return nr;
}

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

#endif /* NAP_ARCH_SYSCALL_H */
