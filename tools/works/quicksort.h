/* SPDX-License-Identifier: MIT */
/*
 * The steps of the quicksort of Zap's repository (blog branch, benchmarks/zig/qsort.zig): the
 * same numbers in the same order, Lomuto's partition on the last element, insertion sort up to
 * 32.
 */
#ifndef WORKS_QUICKSORT_H
#define WORKS_QUICKSORT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SORT_CUTOFF 32

void sort_by_insertion(int32_t *a, uint32_t len);
uint32_t sort_partition(int32_t *a, uint32_t len);
void sort_shuffle(int32_t *a, uint32_t n);
bool sort_verify(const int32_t *a, uint32_t n);

#ifdef __cplusplus
}
#endif

#endif /* WORKS_QUICKSORT_H */
