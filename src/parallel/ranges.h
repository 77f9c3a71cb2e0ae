/* SPDX-License-Identifier: MIT */
/*
 * The room parallel/ (this header is its door).
 *
 * Loops and sorting, on forked jobs. ranges.c says which worker runs which range, leaf.c runs one
 * range and chooses the length of the next, worth.c says whether a range is worth telling others.
 * For each kind of loop there is one file that says what is done with an element.
 *
 * Typically the calling worker runs its range itself, and tells others after the first leaves have
 * shown what an element costs.
 *
 * From outside: the public calls of nap/for.h, nap/reduce.h and nap/sort.h. The room is a client of
 * fork/ and worker/, and no other room uses it.
 */
/*
 * Ranges of indices on all who have nothing else to do: what nap/for.h and nap/reduce.h are made
 * of.
 *
 * What is left of a range is split in two again and again, and the right half is forked
 * (nap/fork.h). So a thief takes the largest part that is left, and an owner that nobody steals
 * from joins its halves in order (the lazy splitting of Tzannes, Caragea, Barua and Vishkin, "Lazy
 * Binary Splitting", 2010, comes of the deque: what is private costs no more than a store). How
 * small the last ones are is each thread's own affair, by the time that its last one took:
 *
 *	begin             the caller alone                                   end
 *	|-|--|----|--------|                                                  |
 *	                   |--split-----------------|--forked-----------------|
 *	                   |--split----|--forked----|
 *	                   |leaf|forked|
 *
 * Shared by those who take part are two words. A thread that has a reason to end the loop, or finds
 * that a lower index decides, writes it there; every thread looks before each leaf. Only that a
 * range is not begun rests on them; results come by the joins.
 */
#ifndef NAP_PARALLEL_RANGES_H
#define NAP_PARALLEL_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/for.h>

#include "parallel/leaf.h"

/* What NULL stands for. */
#pragma GCC visibility push(hidden)
extern const struct nap_loop nap__as_usual;
#pragma GCC visibility pop

/*
 * Any thread: run @ranges from @begin to @end, which is above, onto @value. Returns 0; with
 * NAP_LOOP_FIRST what the lowest leaf returned that did not return 0; ranges->over, if that is not
 * 0; -ESHUTDOWN.
 */
int nap__ranges_run(struct nap__ranges *ranges, size_t begin, size_t end, void *value);

/*
 * The same, but by the caller alone, and no longer than until it pays to tell others; *@begin is
 * what is left then, or @end.
 */
int nap__ranges_run_alone(struct nap__ranges *ranges, size_t *begin, size_t end, void *value);

/* As the program has it, or as usual; with no values. The rest is nap__ranges_run()'s. */
static inline struct nap__ranges ranges_of(struct nap_pool *pool, const struct nap_loop *how,
					   int (*leaf)(struct nap__ranges *, size_t, size_t,
						       void *), void *arg)
{
	return (struct nap__ranges){ .pool = pool, .how = how ? how : &nap__as_usual,
				     .leaf = leaf, .arg = arg };
}

/* Whether @how is one, and the rest of the arguments of a call. */
static inline bool ranges_valid(const struct nap_pool *pool, const struct nap_loop *how,
				size_t begin, size_t end)
{
	return pool && begin <= end &&
	       !(how && (how->flags & ~(NAP_LOOP_FIRST | NAP_LOOP_FIXED) || how->reserved ||
			 how->reserved_too));
}

#endif /* NAP_PARALLEL_RANGES_H */
