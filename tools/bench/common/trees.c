/* SPDX-License-Identifier: MIT */
#include "common/trees.h"

static uint64_t fib_by_sum(unsigned n)
{
	uint64_t a = 0, b = 1;

	while (n--) {
		b += a;
		a = b - a;
	}
	return a;
}

void fib_check(unsigned n, uint64_t result)
{
	if (result != fib_by_sum(n))
		row_die("the result is wrong");
}

void fib_time(const struct size *size, row_fn *once)
{
	row_time_n(size, fib_by_sum((unsigned)size->n + 1) - 1, once);
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
