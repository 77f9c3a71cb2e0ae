/* SPDX-License-Identifier: MIT */
/*
 * Computes the product of two matrices, tile by tile, and its trace.
 *
 *	cc -O2 matmul.c -lnap -o matmul && ./matmul 1024
 */
#include <nap/nap.h>
#include <stdio.h>
#include <stdlib.h>

static size_t n;
static double *a, *b, *c;

/*
 * Computes a tile. @b is read by rows, as it lies in memory, so each row adds to all sums of the
 * tile.
 */
static int multiply(const struct nap_tile *tile, void *unused)
{
	(void)unused;
	for (size_t row = tile->row; row < tile->row_end; row++)
		for (size_t k = 0; k < n; k++) {
			double left = a[row * n + k];

			for (size_t column = tile->column; column < tile->column_end; column++)
				c[row * n + column] += left * b[k * n + column];
		}
	return 0;
}

static int add_diagonal(size_t i, size_t end, void *trace, void *unused)
{
	(void)unused;
	for (; i < end; i++)
		*(double *)trace += c[i * n + i];
	return 0;
}

static void add(void *trace, const void *right, void *unused)
{
	(void)unused;
	*(double *)trace += *(const double *)right;
}

int main(int argc, char **argv)
{
	static const struct nap_reduction trace_of = { sizeof(double), add_diagonal, add, NULL };
	static const struct nap_loop same_bits = { .flags = NAP_LOOP_FIXED };
	static struct nap_pool pool;
	struct nap_tile all;
	double trace = 0;

	n = argc > 1 ? strtoul(argv[1], NULL, 10) : 512;
	if (!n || n > 20000)
		return fprintf(stderr, "usage: %s [SIZE]\n", argv[0]), 2;
	a = malloc(n * n * sizeof(*a));
	b = malloc(n * n * sizeof(*b));
	c = calloc(n * n, sizeof(*c));
	if (!a || !b || !c)
		return perror(argv[0]), 1;
	for (size_t i = 0; i < n * n; i++) {
		a[i] = (double)(i % 7);
		b[i] = (double)(i % 5) / 4;
	}
	all = (struct nap_tile){ 0, n, 0, n };
	nap_for_2d(&pool, NULL, &all, 32, 256, multiply, NULL);
	nap_reduce(&pool, &same_bits, 0, n, &trace_of, &trace, NULL);
	printf("%zu x %zu: trace %.6g\n", n, n, trace);
	nap_pool_join(&pool, NULL);
	free(a);
	free(b);
	free(c);
	return 0;
}
