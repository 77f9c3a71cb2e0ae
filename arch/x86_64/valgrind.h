/* SPDX-License-Identifier: MIT */
/*
 * A request to the tool under which the program runs: four rotations that leave a register as it
 * was, and an exchange of another with itself, which do nothing on a processor, and which
 * valgrind knows. (valgrind.h of valgrind 3.19.)
 */
#ifndef NAP_ARCH_VALGRIND_H
#define NAP_ARCH_VALGRIND_H

#include <stdint.h>

/* What the tool answers to @request, a number and five arguments; @otherwise: there is none. */
static inline uint64_t nap__valgrind(const uint64_t *request, uint64_t otherwise)
{
	asm volatile("rolq	$3, %%rdi\n\t"
		     "rolq	$13, %%rdi\n\t"
		     "rolq	$61, %%rdi\n\t"
		     "rolq	$51, %%rdi\n\t"
		     "xchgq	%%rbx, %%rbx"
		     : "+d" (otherwise) : "a" (request) : "cc", "memory");
	return otherwise;
}

#endif /* NAP_ARCH_VALGRIND_H */
