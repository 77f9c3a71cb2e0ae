/* SPDX-License-Identifier: MIT */
/*
 * Heapsort (Williams, "Algorithm 232", 1964; Floyd, "Algorithm 245", 1964): for a caller that has
 * no memory. Elements are only swapped, so none is lost even if comparisons contradict each other.
 */
#include "parallel/element.h"

/* Sinks the element at @i in a heap of @n elements, until no child of it has to come after it. */
static void sink(const struct nap__sorting *s, size_t i, size_t n)
{
	unsigned char *elements = s->elements;
	size_t size = s->size;

	while (i < n / 2) {
		size_t child = 2 * i + 1;

		if (child + 1 < n && is_before(s, elements + child * size,
					       elements + (child + 1) * size))
			child++;
		if (!is_before(s, elements + i * size, elements + child * size))
			return;
		element_swap(elements + i * size, elements + child * size, size);
		i = child;
	}
}

void nap__heap_sort(const struct nap__sorting *s)
{
	for (size_t i = s->n / 2; i--;)
		sink(s, i, s->n);
	for (size_t n = s->n; n-- > 1;) {
		element_swap(s->elements, s->elements + n * s->size, s->size);
		sink(s, 0, n);
	}
}
