/* SPDX-License-Identifier: MIT */
#include "quicksort.h"

static inline void swap(int32_t *a, int32_t *b)
{
	int32_t t = *a;

	*a = *b;
	*b = t;
}

void sort_by_insertion(int32_t *a, uint32_t len)
{
	for (uint32_t i = 1; i < len; i++)
		for (uint32_t n = i; n && a[n] < a[n - 1]; n--)
			swap(&a[n], &a[n - 1]);
}

/* Returns where the pivot is now: nothing before the pivot is larger, nothing after it smaller. */
uint32_t sort_partition(int32_t *a, uint32_t len)
{
	uint32_t last = len - 1, i = 0;

	for (uint32_t j = 0; j < last; j++)
		if (a[j] <= a[last])
			swap(&a[j], &a[i++]);
	swap(&a[i], &a[last]);
	return i;
}

/* Fills in 0 .. n-1 in the benchmark's order. */
void sort_shuffle(int32_t *a, uint32_t n)
{
	uint32_t xs = 0xdeadbeef;

	for (uint32_t i = 0; i < n; i++)
		a[i] = (int32_t)i;
	for (uint32_t i = 0; i < n; i++) {
		xs ^= xs << 13;
		xs ^= xs >> 17;
		xs ^= xs << 5;
		swap(&a[i], &a[xs % (i + 1)]);
	}
}

/* Whether the numbers are sorted, and each is there once. */
bool sort_verify(const int32_t *a, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i] != (int32_t)i)
			return false;
	return true;
}
