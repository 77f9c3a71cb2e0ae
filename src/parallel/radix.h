/* SPDX-License-Identifier: MIT */
/* Sorting by the bits of a number in each element: src/parallel/radix.c. */
#ifndef NAP_PARALLEL_RADIX_H
#define NAP_PARALLEL_RADIX_H

#include <nap/pool.h>

#include "parallel/keys.h"

/* How many bytes it needs behind the room for @n elements. */
size_t nap__radix_extra(size_t n);

/*
 * Any thread: sort @n @elements, in @room. Stable. Returns 0, or -ESHUTDOWN, and then nothing has
 * changed.
 */
int nap__radix_sort(struct nap_pool *pool, unsigned char *elements, unsigned char *room, size_t n,
		    const struct nap__keys *keys);

#endif /* NAP_PARALLEL_RADIX_H */
