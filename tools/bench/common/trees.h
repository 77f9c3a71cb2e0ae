/* SPDX-License-Identifier: MIT */
/*
 * Trees: the common part of every peer in C and C++. Peers in other languages take the same
 * steps.
 */
#ifndef NAP_BENCH_TREES_H
#define NAP_BENCH_TREES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/row.h"
#include "queens.h"
#include "quicksort.h"
#include "uts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- fib: a call with n >= 2 is a fork; fib(n) has fib(n + 1) - 1 forks */

void fib_check(unsigned n, uint64_t result);
void fib_time(const struct size *size, row_fn *once);

/* ---- nqueens: tools/works/queens.h */

void queens_check(unsigned n, uint64_t result);

/*
 * queens: nqueens without any cut-off, as in Lace's benchmark of this name (trolando/lace,
 * benchmarks/queens). A board is a list of columns, every new board is checked as a whole, and
 * every square that is not attacked is a fork.
 */
#define COLUMNS_MAX 20

struct columns {
	int8_t of[COLUMNS_MAX];
	int8_t rows;		/* rows that have a queen */
};

/* Whether no queen attacks another. */
static inline bool columns_peaceful(const struct columns *columns)
{
	for (int row = 0; row < columns->rows; row++)
		for (int other = row + 1; other < columns->rows; other++) {
			int distance = other - row, across = columns->of[other] - columns->of[row];

			if (across == 0 || across == distance || across == -distance)
				return false;
		}
	return true;
}

/* Sets @next to @columns with one more queen; returns false if a queen is attacked. */
static inline bool columns_add(const struct columns *columns, unsigned column,
			       struct columns *next)
{
	*next = *columns;
	next->of[next->rows++] = (int8_t)column;
	return columns_peaceful(next);
}

/* ---- uts: tools/works/uts.h */

void uts_check(uint64_t nodes);

/* ---- sort: tools/works/quicksort.h */

int32_t *sort_numbers(uint64_t n);

/* Measures @sort: it runs once to warm up, and once in each round. Only the sorting is measured. */
typedef void sort_fn(int32_t *a, uint32_t n);
void sort_time(const struct size *size, sort_fn *sort);

/* ---- matrix multiply: n by n; a part is a row of the product */

void matrices_row(uint32_t row);
uint32_t matrices_n(void);

/* Measures @once, which makes all rows. */
void matrices_time(const struct size *size, row_fn *once);

#ifdef __cplusplus
}
#endif

#endif /* NAP_BENCH_TREES_H */
