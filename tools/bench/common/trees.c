// SPDX-License-Identifier: MIT
#include "common/trees.h"

uint64_t fib_by_sum(unsigned n)
{
	uint64_t a = 0, b = 1;

	while (n--) {
		b += a;
		a = b - a;
	}
	return a;
}

void queens_check(unsigned n, uint64_t result)
{
	if (n > QUEENS_MAX || result != queens_known[n])
		row_die("the result is wrong");
}

void uts_check(uint64_t nodes)
{
	if (nodes != UTS_NODES)
		row_die("the result is wrong");
}
