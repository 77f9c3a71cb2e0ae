/* SPDX-License-Identifier: MIT */
/*
 * Heapsort (Williams, "Algorithm 232", 1964; Floyd, "Algorithm 245", 1964): for a caller that has
 * no memory. Elements are only swapped, so none is lost even if comparisons contradict each other.
 */
#include "parallel/element.h"

/* Sinks the element at @i in a heap of @n, until no child has to come after it. */
static void sink(unsigned char *elements, size_t i, size_t n, const struct nap__order *order)
{
	size_t size = order->size;

	while (i < n / 2) {
		size_t child = 2 * i + 1;

		if (child + 1 < n && is_before(order, elements + child * size,
					       elements + (child + 1) * size))
			child++;
		if (!is_before(order, elements + i * size, elements + child * size))
			return;
		element_swap(elements + i * size, elements + child * size, size);
		i = child;
	}
}

void nap__heap_sort(unsigned char *elements, size_t n, const struct nap__order *order)
{
	for (size_t i = n / 2; i--;)
		sink(elements, i, n, order);
	while (n > 1) {
		n--;
		element_swap(elements, elements + n * order->size, order->size);
		sink(elements, 0, n, order);
	}
}
