/* SPDX-License-Identifier: MIT */
/*
 * The room parallel/ (this header is its door).
 *
 * Loops and sorting, on forked jobs. ranges.c decides which worker runs which range, leaf.c runs
 * one range and chooses the length of the next, worth.c decides whether waking other workers pays
 * for a loop. Each kind of loop has a file of its own.
 *
 * Typically the caller runs the first leaves alone, which shows what an index costs, and then
 * forks.
 *
 * Where a loop's error is kept: "over" of struct nap__ranges in leaf.h, set by ranges_end(). Where
 * a thread learns that the loop is over: leaf_is_over() in leaf.h. What a match ends:
 * look_for_match() in find.c; what a result ends: nap__leaf_run() in leaf.c. Where the caller waits
 * for stolen parts: nap__crew_wait() in crew.c.
 *
 * From outside: the public calls of nap/for.h, nap/reduce.h and nap/sort.h. The room is a client of
 * fork/ and worker/, and no other room uses it.
 */
/*
 * Loops over ranges of indices, which idle workers help to run: the base of nap/for.h and
 * nap/reduce.h.
 *
 * A range is split in two, again and again, and the right half is forked (nap/fork.h). So a thief
 * takes the largest part that remains, and an owner without thieves joins its halves in order.
 * (Tzannes, Caragea, Barua and Vishkin, "Lazy Binary Splitting", 2010, split only on demand; here
 * the deque has this effect, because a private job costs one store.) Each thread chooses its own
 * leaf size from the run time of its previous leaf:
 *
 *	begin             the caller alone                                   end
 *	|-|--|----|--------|                                                  |
 *	                   |--split-----------------|--forked-----------------|
 *	                   |--split----|--forked----|
 *	                   |leaf|forked|
 *
 * The threads of a loop share two words of struct nap__ranges (leaf.h): "over", the reason to end
 * the loop, and "at", the lowest index with a result. Every thread reads both words before each
 * leaf. The words only keep new ranges from starting; the joins hand over the results.
 */
#ifndef NAP_PARALLEL_RANGES_H
#define NAP_PARALLEL_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <nap/for.h>
#include <nap/reduce.h>

#include "parallel/leaf.h"

/* The options for a @how that is NULL. */
#pragma GCC visibility push(hidden)
extern const struct nap_loop nap__as_usual;
#pragma GCC visibility pop

/*
 * Runs indices [@begin, @end), which are not empty, with @value as the accumulator. Called by any
 * thread. Returns 0; with NAP_LOOP_FIRST the result of the lowest leaf that did not return 0; else
 * ranges->over, if it is not 0; or -ESHUTDOWN.
 */
int nap__ranges_run(struct nap__ranges *ranges, size_t begin, size_t end, void *value);

/*
 * As nap__ranges_run(), but the caller runs leaves alone until waking others pays. *@begin: the
 * first index that was not run, or @end.
 */
int nap__ranges_run_alone(struct nap__ranges *ranges, size_t *begin, size_t end, void *value);

/*
 * Returns a loop with the options @how and without values. nap__ranges_run() sets the other
 * members.
 */
static inline struct nap__ranges ranges_of(struct nap_pool *pool, const struct nap_loop *how,
					   int (*leaf)(struct nap__ranges *, size_t, size_t,
						       void *), void *arg)
{
	return (struct nap__ranges){ .pool = pool, .how = how ? how : &nap__as_usual,
				     .leaf = leaf, .arg = arg };
}

/* Whether the arguments of a call are valid. */
static inline bool ranges_valid(const struct nap_pool *pool, const struct nap_loop *how,
				size_t begin, size_t end)
{
	return pool && begin <= end &&
	       !(how && (how->flags & ~(NAP_LOOP_FIRST | NAP_LOOP_FIXED) || how->reserved ||
			 how->reserved_too));
}

/* As nap_for_as() with @how->owners, for a range that is not empty. src/parallel/owned.c */
int nap__for_owned(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
		   nap_range_fn run, void *arg);

/* ---- values of reductions and scans */

static inline bool reduction_valid(const struct nap_reduction *by)
{
	return by && by->add && by->merge && by->size && by->size <= NAP_REDUCE_SIZE;
}

static inline void reduction_clear(const struct nap_reduction *by, void *value)
{
	if (by->nothing)
		memcpy(value, by->nothing, by->size);
	else
		memset(value, 0, by->size);
}

/* ---- whether to wake other workers: src/parallel/worth.c */

/*
 * Whether a caller that runs alone wakes other workers for @rest indices, after @n indices took
 * @took ns.
 */
bool nap__is_worth_waking(struct nap_pool *pool, size_t rest, size_t n, uint64_t took);

/*
 * Whether the caller wakes other workers at the beginning of the loop, because of the time that an
 * iteration took the last time. (If they were woken only after the first ranges, they would come
 * too late for a loop with few iterations.) If true, sets a suitable grain in @part, too.
 */
bool nap__is_known_to_be_long(const struct nap__ranges *ranges, struct part *part);

/* Notes, at the end of a loop, how long an iteration took. */
void nap__remember_loop(const struct nap__ranges *ranges, const struct part *part);

#endif /* NAP_PARALLEL_RANGES_H */
