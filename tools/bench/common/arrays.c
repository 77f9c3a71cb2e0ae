// SPDX-License-Identifier: MIT
/* Numbers to sort, and matrices to multiply. */
#include "common/trees.h"

#include <stdlib.h>

#include "sort.h"

/* tools/demo/sort_steps.c looks for signals; here they end the program. */
int signals_caught(void)
{
	return 0;
}

int32_t *sort_numbers(uint64_t n)
{
	int32_t *a = malloc(n * sizeof(*a));

	if (!a || n > UINT32_MAX)
		row_die("no memory");
	return a;
}

void sort_time(const struct size *size, sort_fn *sort)
{
	int32_t *a = sort_numbers(size->n);
	struct span span;

	for (unsigned i = 0; i <= size->rounds; i++) {
		sort_shuffle(a, (uint32_t)size->n);
		row_begin(&span);
		sort(a, (uint32_t)size->n);
		if (i)
			row_end(size, &span, 1);
		if (!sort_verify(a, (uint32_t)size->n))
			row_die("it is not sorted");
	}
	free(a);
}

void matrices_init(struct matrices *m, const struct size *size)
{
	size_t all = size->n * size->n;

	m->n = (uint32_t)size->n;
	m->a = malloc(all * sizeof(double));
	m->b = malloc(all * sizeof(double));
	m->c = calloc(all, sizeof(double));
	if (!m->a || !m->b || !m->c)
		row_die("no memory");
	for (size_t i = 0; i < all; i++) {
		m->a[i] = (double)(i % 7);
		m->b[i] = (double)(i % 5);
	}
}

void matrices_row(const struct matrices *m, uint32_t row)
{
	double *c = m->c + (size_t)row * m->n;

	for (uint32_t i = 0; i < m->n; i++)
		c[i] = 0;
	for (uint32_t k = 0; k < m->n; k++) {
		const double *b = m->b + (size_t)k * m->n;
		double a = m->a[(size_t)row * m->n + k];

		for (uint32_t i = 0; i < m->n; i++)
			c[i] += a * b[i];
	}
}

/* The last number of all; whole numbers, so that it is exact. */
void matrices_check(const struct matrices *m)
{
	double sum = 0;
	size_t last = (size_t)m->n - 1;

	for (size_t k = 0; k < m->n; k++)
		sum += m->a[last * m->n + k] * m->b[k * m->n + last];
	if (sum != m->c[last * m->n + last])
		row_die("the product is wrong");
}
