/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_sort - sort on all workers of a pool
 *
 * These calls sort on all of a pool's workers and the caller.
 *
 *	nap_sort_i64(&pool, numbers, n);
 *	nap_sort_keys(&pool, people, n, sizeof(*people), NAP_KEY_U32, offsetof(struct person, age));
 *	nap_sort(&pool, names, n, sizeof(*names), compare_names, NULL);
 *
 * Sorting by keys is fastest; next comes an inline comparison: NAP_SORT_DEFINE(), in C++ the
 * templates of nap/nap.hpp; last a comparison that is called through a pointer.
 *
 * nap/for.h says which threads may call, and which take part. Input that is sorted already,
 * strictly falling, or all equal costs one pass over the elements.
 *
 * Each call needs additional memory for as many elements, which it takes from the system and gives
 * back. Without this memory nap_sort_stable() returns -ENOMEM, and the other calls sort in place,
 * more slowly. Whatever the call returns, and whatever a comparison returns, the array holds the
 * same elements as before, perhaps in another order. The arguments of a comparison are aligned as
 * the elements are, up to 64 bytes.
 */
#ifndef NAP_SORT_H
#define NAP_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "pool.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** enum nap_key - types of numbers to sort by; in the machine's byte order, aligned or not */
enum nap_key {
	NAP_KEY_I32,
	NAP_KEY_U32,
	NAP_KEY_I64,
	NAP_KEY_U64,
	NAP_KEY_FLOAT,	/* IEEE 754's total order: -NaN, -inf, .. -0, 0, .. inf, NaN */
	NAP_KEY_DOUBLE,
	NAP__KEYS
};

/**
 * nap_sort_keys() - sort by a number in each element
 * @pool:     the pool whose workers take part
 * @elements: @n of @size bytes each
 * @key:      the type of the number
 * @offset:   the offset of the number in an element, in bytes
 *
 * Sorts from the lowest to the highest number. With the additional memory the sort is stable:
 * elements with the same key stay in their order. This is a radix sort, which begins with the most
 * significant bits that differ: so the time grows as n.
 *
 * Any thread. Without the additional memory this is nap_sort(). Returns 0; -EINVAL when @pool is
 * NULL, @elements is NULL and @n is not 0, the key does not lie in an element, or the array is
 * larger than the address space; -ESHUTDOWN when the pool was shut down before the call, or during
 * the first pass over the elements, which the caller makes alone: then nothing has changed.
 */
int nap_sort_keys(struct nap_pool *pool, void *elements, size_t n, size_t size, enum nap_key key,
		  size_t offset);

/** nap_sort_i32() and the like - sort numbers; as nap_sort_keys() */
int nap_sort_i32(struct nap_pool *pool, int32_t *numbers, size_t n);
int nap_sort_u32(struct nap_pool *pool, uint32_t *numbers, size_t n);
int nap_sort_i64(struct nap_pool *pool, int64_t *numbers, size_t n);
int nap_sort_u64(struct nap_pool *pool, uint64_t *numbers, size_t n);
int nap_sort_float(struct nap_pool *pool, float *numbers, size_t n);
int nap_sort_double(struct nap_pool *pool, double *numbers, size_t n);

/**
 * typedef nap_compare_fn - compare two elements
 *
 * Returns a number below 0 if @left comes first, above 0 if @right comes first, or 0. Several
 * threads call the function at the same time. If its results contradict each other the order is
 * unspecified. If the function calls fork(2) it must not return in the child, because other threads
 * of the parent may be moving elements.
 */
typedef int (*nap_compare_fn)(const void *left, const void *right, void *arg);

/**
 * nap_sort() - sort by comparisons
 * @compare: compares two of the elements, or copies of them
 * @arg:     passed to @compare
 *
 * Any thread. The sort is not stable. It takes O(n log n) comparisons: for most orders about n log2
 * n, for an order that is made to defeat the choice of pivots some three times as many, without the
 * additional memory 2 n log2 n. Elements of 4, 8 and 16 bytes are moved fastest; if elements are
 * larger than 64 bytes, sort pointers to them. The sort does not branch on a result of @compare, so
 * @compare is best without a branch, too: (a > b) - (a < b).
 *
 * The algorithms are stable partitions into a second array, and merging from both ends (van den
 * Hoven, "fluxsort", 2021, and "quadsort", 2020; nap/sort_divide.h). Returns as nap_sort_keys();
 * -EINVAL also when @compare is NULL.
 */
int nap_sort(struct nap_pool *pool, void *elements, size_t n, size_t size, nap_compare_fn compare,
	     void *arg);

/**
 * nap_sort_stable() - nap_sort() that keeps the order of equal elements
 *
 * Returns as nap_sort(); -ENOMEM without the additional memory: then nothing has changed.
 */
int nap_sort_stable(struct nap_pool *pool, void *elements, size_t n, size_t size,
		    nap_compare_fn compare, void *arg);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_SORT_H */
