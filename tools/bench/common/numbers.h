/* SPDX-License-Identifier: MIT */
/* Many numbers, to be added, searched and sorted: common to every peer in C and C++. */
#ifndef NAP_BENCH_NUMBERS_H
#define NAP_BENCH_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/row.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Measures the sum of n doubles, once in each round. */
typedef double sum_fn(const double *numbers, uint64_t n);
void sum_time(const struct size *size, sum_fn *sum);

/* Measures a search for a 1 among n doubles, the sixth of which is 1; each round is a sample. */
typedef bool any_fn(const double *numbers, uint64_t n);
void any_time(const struct size *size, any_fn *any);

struct pair {
	uint64_t key, value;
};

/*
 * Rows "sort-ints", "sort-doubles", "sort-pairs", "sort-strings" of n elements; each round is a
 * sample. The elements are "sorted", "equal" or "reversed" if HOW says so, else random. The end of
 * a row's name says what a sort may use; only sorts of one kind can be compared:
 *
 *	sort-ints	by digits of the keys, or whatever is fastest for the type
 *	sort-ints-by	by comparisons, which the compiler sees; equal elements in any order
 *	sort-ints-stable	the same, but equal elements keep their order
 *	sort-ints-call	by comparisons through a pointer to a function
 */
struct sorts {
	void (*ints)(int32_t *numbers, uint64_t n);
	void (*doubles)(double *numbers, uint64_t n);
	void (*pairs)(struct pair *pairs, uint64_t n);
	void (*strings)(const char **strings, uint64_t n);
};
void sorts_time(const struct size *size, const struct sorts *sorts);

#define SORT_ROWS(kind, run)								\
	ROW("sort-ints" kind, run), ROW("sort-doubles" kind, run), ROW("sort-pairs" kind, run), \
	ROW("sort-strings" kind, run)

/* The comparisons for qsort() and its like: the result is less than 0, 0, or more. */
int compare_ints(const void *left, const void *right, void *unused);
int compare_doubles(const void *left, const void *right, void *unused);
int compare_pairs(const void *left, const void *right, void *unused);
int compare_strings(const void *left, const void *right, void *unused);

#ifdef __cplusplus
}
#endif

#endif /* NAP_BENCH_NUMBERS_H */
