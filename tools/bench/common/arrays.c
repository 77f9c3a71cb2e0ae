/* SPDX-License-Identifier: MIT */
/* Rows that sort numbers, and rows that multiply matrices. */
#include "common/trees.h"

#include <stdlib.h>

#include "quicksort.h"

int32_t *sort_numbers(uint64_t n)
{
	int32_t *a = malloc(n * sizeof(*a));

	if (!a || n > UINT32_MAX)
		row_die("no memory");
	return a;
}

void sort_time(const struct size *size, sort_fn *sort)
{
	int32_t *numbers = sort_numbers(size->n);
	struct span span;

	for (unsigned i = 0; i <= size->rounds; i++) {
		sort_shuffle(numbers, (uint32_t)size->n);
		row_begin(&span);
		sort(numbers, (uint32_t)size->n);
		if (i)
			row_end(size, &span, 1);
		if (!sort_verify(numbers, (uint32_t)size->n))
			row_die("it is not sorted");
	}
	free(numbers);
}

/* ---- matrices: c = a * b */

static uint32_t n;
static double *a, *b, *c;

uint32_t matrices_n(void)
{
	return n;
}

static void init(const struct size *size)
{
	size_t all = size->n * size->n;

	n = (uint32_t)size->n;
	a = malloc(all * sizeof(double));
	b = malloc(all * sizeof(double));
	c = calloc(all, sizeof(double));
	if (!a || !b || !c)
		row_die("no memory");
	for (size_t i = 0; i < all; i++) {
		a[i] = (double)(i % 7);
		b[i] = (double)(i % 5);
	}
}

void matrices_row(uint32_t row)
{
	const uint32_t len = n;
	const double *restrict factor = a + (size_t)row * len;
	double *restrict to = c + (size_t)row * len;

	for (uint32_t i = 0; i < len; i++)
		to[i] = 0;
	for (uint32_t k = 0; k < len; k++) {
		const double *restrict from = b + (size_t)k * len;

		for (uint32_t i = 0; i < len; i++)
			to[i] += factor[k] * from[i];
	}
}

/* Checks the result by its last number. The numbers are whole, so the check is exact. */
static void check(void)
{
	double sum = 0;
	size_t last = (size_t)n - 1;

	for (size_t k = 0; k < n; k++)
		sum += a[last * n + k] * b[k * n + last];
	if (sum != c[last * n + last])
		row_die("the product is wrong");
}

void matrices_time(const struct size *size, row_fn *once)
{
	init(size);
	row_time_whole(size, once);
	check();
}
