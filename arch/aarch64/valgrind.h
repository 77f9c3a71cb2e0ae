/* SPDX-License-Identifier: MIT */
/*
 * A request to the tool under which the program runs: four rotations that leave a register as it
 * was, and an or of another register with itself. On a processor the sequence has no effect;
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
