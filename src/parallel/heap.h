/* SPDX-License-Identifier: MIT */
/* Sorting in place, without memory: src/parallel/heap.c. */
#ifndef NAP_PARALLEL_HEAP_H
#define NAP_PARALLEL_HEAP_H

#include "parallel/element.h"

/* On the calling thread alone; n log n at worst. Not stable. */
void nap__heap_sort(unsigned char *elements, size_t n, const struct nap__order *order);

#endif /* NAP_PARALLEL_HEAP_H */
