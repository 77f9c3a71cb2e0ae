/* SPDX-License-Identifier: MIT */
/* Elements of any size, comparing two of them, and sorting by comparisons: nap/sort.h. */
#ifndef NAP_PARALLEL_ELEMENT_H
#define NAP_PARALLEL_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <nap/sort.h>

struct nap__order {
	size_t size;		/* of an element, bytes */
	nap_compare_fn compare;
	void *arg;
};

/* Copies an element; for the usual sizes without a call. */
static inline void element_copy(void *to, const void *from, size_t size)
{
	if (size == 4)
		memcpy(to, from, 4);
	else if (size == 8)
		memcpy(to, from, 8);
	else if (size == 16)
		memcpy(to, from, 16);
	else
		memcpy(to, from, size);
}

static inline __attribute__((always_inline)) void element__swap(void *a, void *b, size_t size)
{
	unsigned char part[64];

	memcpy(part, a, size);
	memcpy(a, b, size);
	memcpy(b, part, size);
}

static inline void element_swap(unsigned char *a, unsigned char *b, size_t size)
{
	if (size == 4)
		return element__swap(a, b, 4);
	if (size == 8)
		return element__swap(a, b, 8);
	if (size == 16)
		return element__swap(a, b, 16);
	for (; size > 64; a += 64, b += 64, size -= 64)
		element__swap(a, b, 64);
	element__swap(a, b, size);
}

/* Whether @a has to come before @b. */
static inline bool is_before(const struct nap__order *order, const void *a, const void *b)
{
	return order->compare(a, b, order->arg) < 0;
}

/*
 * Sorts @elements; @room has room for as many. Stable. Returns 0, or -ESHUTDOWN, and then nothing
 * has changed. Any thread. src/parallel/merge.c
 */
int nap__merge_sort(struct nap_pool *pool, unsigned char *elements, unsigned char *room, size_t n,
		    const struct nap__order *order);

/* Sorts in place on the calling thread alone; n log n at worst. Not stable. heap.c */
void nap__heap_sort(unsigned char *elements, size_t n, const struct nap__order *order);

#endif /* NAP_PARALLEL_ELEMENT_H */
