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
 * Keys are the fastest way; then a comparison that is in line: NAP_SORT_DEFINE(), in C++ the
 * templates of nap/nap.hpp; then one that is called through a pointer.
 *
 * What nap/for.h says of loops holds: which threads call, which take part, what is reported. Input
 * that is sorted already, strictly falling, or all the same, costs one pass over the elements.
 *
 * Each call needs memory for as many elements once more, which it takes from the system and gives
 * back. Without memory it sorts in place if it can, and slower; else it returns -ENOMEM. Whatever
 * it returns, and whatever a comparison returns, the elements are those that were there. What is
 * compared is aligned as the elements are, up to 64 bytes.
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

/** enum nap_key - numbers that are sorted by; in the machine's byte order, aligned or not */
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
 * @pool:     whose workers take part
 * @elements: @n of @size bytes each
 * @key:      what kind of number
 * @offset:   where it lies in an element, bytes
 *
 * From the lowest to the highest. Stable, if there is memory: elements with the same key stay in
 * their order. The numbers are not compared but distributed by their bits (from the most
 * significant ones that differ), so the time grows as n.
 *
 * Any thread. Without memory this is nap_sort(). Returns 0; -EINVAL when @pool is NULL, @elements
 * is and @n is not 0, the key does not lie in an element, or all are larger than the address space;
 * -ESHUTDOWN when the pool was shut down before, or in the first pass over the elements, in which
 * only the caller takes part: then nothing has changed.
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
 * Returns less than 0, 0, or more: @left comes first, it does not matter, @right comes first.
 * Several threads call the function at the same time. A function that contradicts itself gets any
 * order. The function does not return in the child of a fork that it makes, because elements may be
 * on their way in other threads.
 */
typedef int (*nap_compare_fn)(const void *left, const void *right, void *arg);

/**
 * nap_sort() - sort by comparisons
 * @compare: compares two of the elements, or copies of them
 * @arg:     passed to it
 *
 * Any thread. Elements that are the same may be exchanged. n log n comparisons at worst; without
 * memory twice as many. Elements of 4, 8 and 16 bytes are moved fastest; of more than 64 bytes,
 * rather sort pointers to them. No step branches on what @compare returns, so it is best without a
 * branch itself: (a > b) - (a < b).
 *
 * Stable divisions into a second array, and merging from both ends: van den Hoven, "fluxsort"
 * (2021) and "quadsort" (2020); see nap/sort_divide.h. Returns as nap_sort_keys(); -EINVAL also
 * when @compare is NULL.
 */
int nap_sort(struct nap_pool *pool, void *elements, size_t n, size_t size, nap_compare_fn compare,
	     void *arg);

/**
 * nap_sort_stable() - nap_sort() that keeps the order of elements that are the same
 *
 * Returns as nap_sort(); -ENOMEM without memory, and then nothing has changed.
 */
int nap_sort_stable(struct nap_pool *pool, void *elements, size_t n, size_t size,
		    nap_compare_fn compare, void *arg);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_SORT_H */
