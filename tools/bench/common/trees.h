/* SPDX-License-Identifier: MIT */
/*
 * Works that are trees, as far as they are the same for every peer in C and C++. Those in other
 * languages do the same step by step.
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

/* ---- fib: forks are the calls with n >= 2; of fib(n) there are fib(n + 1) - 1 */

void fib_check(unsigned n, uint64_t result);
void fib_time(const struct size *size, row_fn *once);

/* ---- nqueens: tools/works/queens.h */

void queens_check(unsigned n, uint64_t result);

/*
 * queens: the same question without any cut-off, as Lace's benchmark of that name has it
 * (trolando/lace, benchmarks/queens): a board is a list of columns, every new one is looked through
 * as a whole, and every square that is not attacked is a fork.
 */
#define COLUMNS_MAX 20

struct columns {
	int8_t of[COLUMNS_MAX];
	int8_t rows;		/* that have a queen */
};

/* Nobody attacks anybody. */
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

/* @next: @columns with one more queen; false: somebody is attacked. */
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

/* Sorted once for each round, and once to warm up; only the sorting is measured. */
typedef void sort_fn(int32_t *a, uint32_t n);
void sort_time(const struct size *size, sort_fn *sort);

/* ---- matrix multiply: n by n; the rows of the product are the parts */

void matrices_row(uint32_t row);
uint32_t matrices_n(void);

/* @once is to make all rows. */
void matrices_time(const struct size *size, row_fn *once);

#ifdef __cplusplus
}
#endif

#endif /* NAP_BENCH_TREES_H */
