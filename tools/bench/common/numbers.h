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

/* Measures whether one of n doubles is 1, as the sixth is; each round is a sample. */
typedef bool any_fn(const double *numbers, uint64_t n);
void any_time(const struct size *size, any_fn *any);

struct pair {
	uint64_t key, value;
};

/*
 * Rows "sort-ints", "sort-doubles", "sort-pairs" of n elements; each round is a sample. The
 * elements are "sorted", "equal" or "reversed" if "how" says so, else random.
 */
struct sorts {
	void (*ints)(int32_t *numbers, uint64_t n);
	void (*doubles)(double *numbers, uint64_t n);
	void (*pairs)(struct pair *pairs, uint64_t n);
};
void sorts_time(const struct size *size, const struct sorts *sorts);

#ifdef __cplusplus
}
#endif

#endif /* NAP_BENCH_NUMBERS_H */
