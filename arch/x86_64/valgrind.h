/* SPDX-License-Identifier: MIT */
/*
 * A request to the tool under which the program runs: four rotations that leave a register as it
 * was, and an exchange of another register with itself. On a processor the sequence has no effect;
 * valgrind recognises it. (valgrind.h of valgrind 3.19.)
 */
#ifndef NAP_ARCH_VALGRIND_H
#define NAP_ARCH_VALGRIND_H

#include <stdint.h>

/*
 * Sends @request, a number and five arguments; returns the tool's answer, or @otherwise if there is
 * no tool.
 */
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
