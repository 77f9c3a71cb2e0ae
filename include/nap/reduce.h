/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_reduce - loops that compute one value, or a value for each index
 *
 * A reduction is a loop that computes one value: a sum, a minimum, a histogram. A scan is a loop
 * that computes a value for each index.
 *
 *	static int add(size_t begin, size_t end, void *sum, void *numbers)
 *	{
 *		for (size_t i = begin; i < end; i++)
 *			*(double *)sum += ((double *)numbers)[i];
 *		return 0;
 *	}
 *
 *	static void merge(void *sum, const void *right, void *numbers)
 *	{
 *		*(double *)sum += *(const double *)right;
 *	}
 *
 *	static const struct nap_reduction sum_of = { sizeof(double), add, merge, NULL };
 *	double sum = 0;
 *
 *	nap_reduce(&pool, NULL, 0, n, &sum_of, &sum, numbers);
 *
 * nap/for.h says which threads may call, which take part, and what the calls return. The operation
 * has to be associative; it need not be commutative, because only neighbouring ranges are merged,
 * the lower one on the left.
 */
#ifndef NAP_REDUCE_H
#define NAP_REDUCE_H

#include <stddef.h>

#include "for.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** NAP_REDUCE_SIZE - the most bytes of a value */
#define NAP_REDUCE_SIZE 4096u

/**
 * typedef nap_add_fn - add a range of indices to a value
 * @value: at the call the value of some indices right below @begin, or of no index; on return the
 *         value of these indices and the range. No other thread uses @value until the call returns
 *
 * As nap_range_fn.
 */
typedef int (*nap_add_fn)(size_t begin, size_t end, void *value, void *arg);

/**
 * typedef nap_merge_fn - merge two values into one
 * @value: the lower value; on return the merged one
 * @right: the value of the indices after those of @value
 */
typedef void (*nap_merge_fn)(void *value, const void *right, void *arg);

/**
 * struct nap_reduction - how a value is computed
 * @size:    bytes of a value, NAP_REDUCE_SIZE at most. Values are copied, and the copies lie at
 *           addresses that are multiples of 16; the caller's own @value is passed where it is
 * @add:     adds a range to a value
 * @merge:   merges two values
 * @nothing: the value of no index at all; NULL: all bytes zero
 */
struct nap_reduction {
	size_t size;
	nap_add_fn add;
	nap_merge_fn merge;
	const void *nothing;
};

/**
 * nap_reduce() - compute one value of all indices
 * @how:   as for nap_for_as(), and NAP_LOOP_FIXED may be among its flags
 * @by:    how the value is computed; read during the call
 * @value: @by->size bytes: at the call the value to begin with; on return the value with all
 *         indices from @begin to @end - 1. Undefined if the call does not return 0
 * @arg:   passed to @by's functions
 *
 * Any thread. Returns as nap_for_as(); -EINVAL also when @by or @value is NULL, or @by lacks a
 * function, or its size is 0 or too large.
 *
 * Nothing is allocated. Each level of splitting has a value on the stack, and splitting ends when
 * half of the stack is used. With NAP_LOOP_FIXED splitting does not end there. So the stack needs
 * room for all levels, each of @by->size and some 200 bytes. There is one level for each doubling
 * from @grain to @end - @begin; without a grain there are 9.
 */
int nap_reduce(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
	       const struct nap_reduction *by, void *value, void *arg);

/**
 * nap_scan() - compute for each index the value of all indices up to it
 * @how:   as for nap_for_as(), without NAP_LOOP_FIRST. @progress counts indices while the caller is
 *         alone; once other threads may take part, it counts parts of the loop, and begins anew for
 *         the second pass over them
 * @by:    how a value is computed
 * @each:  as @by->add, but also stores for each index of the range the value of all indices before
 *         it (an exclusive scan), or up to and with it (an inclusive scan)
 * @value: as for nap_reduce()
 *
 * Any thread. Most ranges are run twice: by @by->add, and later, when the value of all indices
 * before the range is known, by @each. This pays with more than two threads, or if storing takes
 * most of the time. @each may write where @by->add and @each read (an array onto itself), unless a
 * function of the scan calls fork(2) and returns in the child: the child stores some values once
 * more. Nothing is allocated for values of up to 64 bytes; for larger ones some memory is taken
 * from the system, and without it fewer threads take part (with NAP_LOOP_FIXED one, and the values
 * are the same). The call takes 5 KiB and two values of the caller's stack.
 *
 * Returns as nap_reduce(); -EINVAL also for NAP_LOOP_FIRST. After an error some values may have
 * been stored.
 */
int nap_scan(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
	     const struct nap_reduction *by, nap_add_fn each, void *value, void *arg);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_REDUCE_H */
