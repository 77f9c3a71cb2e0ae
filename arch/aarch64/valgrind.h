/* SPDX-License-Identifier: MIT */
/*
 * A request to the tool under which the program runs: four rotations that leave a register as it
 * was, and another that is or'ed with itself, which do nothing on a processor, and which
 * valgrind knows. (valgrind.h of valgrind 3.19.)
 */
#ifndef NAP_ARCH_VALGRIND_H
#define NAP_ARCH_VALGRIND_H

#include <stdint.h>

/* What the tool answers to @request, a number and five arguments; @otherwise: there is none. */
static inline uint64_t nap__valgrind(const uint64_t *request, uint64_t otherwise)
{
	register uint64_t answer asm("x3") = otherwise;
	register const uint64_t *asked asm("x4") = request;

	asm volatile("ror	x12, x12, #3\n\t"
		     "ror	x12, x12, #13\n\t"
		     "ror	x12, x12, #51\n\t"
		     "ror	x12, x12, #61\n\t"
		     "orr	x10, x10, x10"
		     : "+r" (answer) : "r" (asked) : "cc", "memory");
	return answer;
}

#endif /* NAP_ARCH_VALGRIND_H */
