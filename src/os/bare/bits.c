/* SPDX-License-Identifier: MIT */
/*
 * The function that the compiler calls to count leading zeros, if the machine has no instruction
 * for it (RISC-V without Zbb). It is weak, as the functions of string.c are.
 */
#include <stdint.h>

int __clzdi2(uint64_t bits);

__attribute__((weak)) int __clzdi2(uint64_t bits)
{
	int n = 0;

	for (int half = 32; half; half /= 2)
		if (!(bits << n >> (64 - half)))
			n += half;
	return n;
}
