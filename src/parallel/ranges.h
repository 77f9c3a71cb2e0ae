/* SPDX-License-Identifier: MIT */
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
 * Shared by those who take part are two words. Whoever has a reason to end the loop, or finds that
 * a lower index decides, writes it there; everybody looks before each leaf. Only that a range is
 * not begun rests on them; results come by the joins.
 */
#ifndef NAP_PARALLEL_RANGES_H
#define NAP_PARALLEL_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/for.h>

#include "atomic.h"

/* What NULL stands for. */
#pragma GCC visibility push(hidden)
extern const struct nap_loop nap__as_usual;
#pragma GCC visibility pop

/*
 * One loop; on the stack of its caller. I set at init, A atomic.
 */
struct nap__ranges {
	struct nap_pool *pool;		/* I */
	const struct nap_loop *how;	/* I: not NULL */
	/* I: run a range, onto @value; not 0: the loop is over, with NAP_LOOP_FIRST all above */
	int (*leaf)(struct nap__ranges *ranges, size_t begin, size_t end, void *value);
	void *arg;			/* I: the leaf's */

	/* I: with a value_size only: @value of nothing; @value and what is @right of it in one */
	void (*clear)(struct nap__ranges *ranges, void *value);
	void (*merge)(struct nap__ranges *ranges, void *value, const void *right);
	size_t value_size;
	bool fixed;			/* I: each right half has a value of its own */
	size_t total;			/* I */
	uint64_t deadline;		/* I: ns; NAP_FOREVER */
	bool clocked;			/* I: each leaf is followed by a look at the clock */

	size_t at;			/* A: the lowest index that decides; SIZE_MAX: none yet */
	int32_t over;			/* A: no range is begun; 0, or why */

	uint32_t telling;		/* A: somebody is in progress() */
	size_t done;			/* A: indices that have been run, for progress() */
	uint64_t tell_at;		/* who is telling: when to do so next, ns */
};

/*
 * Any thread: run @ranges from @begin to @end, which is above, onto @value. Returns 0; with
 * NAP_LOOP_FIRST what the lowest leaf returned that did not return 0; ranges->over, if that is not
 * 0; -ESHUTDOWN.
 */
int nap__ranges_run(struct nap__ranges *ranges, size_t begin, size_t end, void *value);

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
	       !(how && (how->flags & ~NAP_LOOP_FIRST || how->reserved));
}

/* A leaf: @index decides, and nothing above it matters. */
static inline void ranges_lower(struct nap__ranges *ranges, size_t index)
{
	size_t at = nap_load_relaxed(&ranges->at);

	while (index < at && !nap_try_cmpxchg_relaxed(&ranges->at, &at, index))
		;
}

/* Anybody: the loop is over; the first one's reason counts. */
static inline void ranges_end(struct nap__ranges *ranges, int why)
{
	nap_cmpxchg_relaxed(&ranges->over, 0, why);
}

static inline bool ranges_first(const struct nap__ranges *ranges)
{
	return ranges->how->flags & NAP_LOOP_FIRST;
}

#endif /* NAP_PARALLEL_RANGES_H */
