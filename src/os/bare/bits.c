/* SPDX-License-Identifier: MIT */
/*
 * What the compiler calls where the machine lacks an instruction: counting leading zeros, on RISC-V
 * without Zbb. Weak, as the functions of string.c.
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
