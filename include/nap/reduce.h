/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_reduce - loops that come to one value, or to a value for each index
 *
 * A loop may come to one value: a sum, a minimum, a histogram. Or a loop may come to a value for
 * each index: a scan.
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
 * What nap/for.h says of loops holds: which threads call, which take part, what is reported. The
 * operation has to be associative; it need not be commutative, because neighbours are merged, the
 * lower one on the left.
 */
#ifndef NAP_REDUCE_H
#define NAP_REDUCE_H

#include <stddef.h>

#include "for.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** NAP_REDUCE_SIZE - how large a value may be, in bytes */
#define NAP_REDUCE_SIZE 4096u

/**
 * typedef nap_add_fn - add a range of indices to a value
 * @value: what was there before, of the indices below @begin or of none; on return with the range.
 *         No other thread uses it until the call returns
 *
 * As nap_range_fn.
 */
typedef int (*nap_add_fn)(size_t begin, size_t end, void *value, void *arg);

/**
 * typedef nap_merge_fn - merge two values into one
 * @value: on return with all that is @right of it
 * @right: of the indices after those of @value
 */
typedef void (*nap_merge_fn)(void *value, const void *right, void *arg);

/**
 * struct nap_reduction - how indices come to a value
 * @size:    bytes of a value, NAP_REDUCE_SIZE at most. Values are copied, and lie at addresses that
 *           are multiples of 16
 * @add:     adds a range
 * @merge:   adds another value
 * @nothing: the value of no index at all; NULL: all bytes zero
 */
struct nap_reduction {
	size_t size;
	nap_add_fn add;
	nap_merge_fn merge;
	const void *nothing;
};

/**
 * nap_reduce() - come to one value
 * @how:   as for nap_for_as(), and NAP_LOOP_FIXED may be among its flags
 * @by:    how; read during the call
 * @value: @by->size bytes: what the result begins with; on return with all from @begin to @end - 1.
 *         Undefined after a call that does not return 0
 * @arg:   passed to @by's functions
 *
 * Any thread. Returns as nap_for_as(); -EINVAL also when @by or @value is NULL, or @by lacks a
 * function, or its size is 0 or too large.
 *
 * Nothing is allocated. Each level of splitting has a value on the stack, and splitting ends when
 * half of the stack is used. Not so with NAP_LOOP_FIXED: the stack has to have room for all
 * levels, @by->size and some 200 bytes for each doubling from @grain to @end - @begin; without a
 * grain there are 9 doublings.
 */
int nap_reduce(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
	       const struct nap_reduction *by, void *value, void *arg);

/**
 * nap_scan() - a value for each index: of all indices up to it
 * @how:   as for nap_for_as(), without NAP_LOOP_FIRST; its progress counts parts of the loop, each
 *         time that they are gone through, and is not called before others take part
 * @by:    how indices come to a value
 * @each:  as @by->add, but also stores, for each index of the range, the value of all before it (an
 *         exclusive scan), or that with the index itself (an inclusive one)
 * @value: as for nap_reduce(); on return of all indices
 *
 * Any thread. Most ranges are gone through twice: by @by->add, and by @each once the value before
 * them is known. That pays with more than two threads, or if storing is the larger part. @each may
 * write where @by->add and @each read (an array onto itself), unless a function of the scan forks,
 * and returns in the child, which stores some values once more. Nothing is allocated for values of up
 * to 64 bytes; for larger ones some memory is taken from the system, and without it fewer threads
 * take part. The call takes 5 KiB of the caller's stack, and one value more.
 *
 * Returns as nap_reduce(); -EINVAL also for NAP_LOOP_FIRST; if not 0, some indices have been
 * stored.
 */
int nap_scan(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
	     const struct nap_reduction *by, nap_add_fn each, void *value, void *arg);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_REDUCE_H */
