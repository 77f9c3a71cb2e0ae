/* SPDX-License-Identifier: MIT */
/*
 * System calls of Linux on x86-64: number in rax, arguments in rdi, rsi, rdx, r10, r8 and r9, the
 * result in rax. The instruction itself destroys rcx (where to return) and r11 (flags).
 *
 * Returns the kernel's answer: a negative errno when the call failed.
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

#endif /* NAP_ARCH_SYSCALL_H */
