/* SPDX-License-Identifier: MIT */
/*
 * A leaf is a range that a thread runs by one call of the program's function. Between two leaves a
 * thread checks whether the loop is over, and reads the clock to choose the size of the next leaf.
 */
#ifndef NAP_PARALLEL_LEAF_H
#define NAP_PARALLEL_LEAF_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/for.h>

#include "arch/atomic.h"
#include "os/happens.h"

struct crew;

/* One loop, on the stack of its caller. Access letters: I: set at init, A: atomic. */
struct nap__ranges {
	struct nap_pool *pool;		/* I */
	const struct nap_loop *how;	/* I: not NULL */
	/*
	 * I: runs a range into @value. A result other than 0 ends the loop; with NAP_LOOP_FIRST it
	 * ends only the ranges above.
	 */
	int (*leaf)(struct nap__ranges *ranges, size_t begin, size_t end, void *value);
	void *arg;			/* I: argument of the leaf function */
	const void *body;		/* I: the program's function, the key in worth.c; or NULL */

	/*
	 * I: set if value_size is not 0. clear() sets @value to the value of an empty range;
	 * merge() merges @right into @value.
	 */
	void (*clear)(struct nap__ranges *ranges, void *value);
	void (*merge)(struct nap__ranges *ranges, void *value, const void *right);
	size_t value_size;
	size_t grain;			/* I: indices in a leaf; 0: by the clock */
	size_t total;			/* I */
	uint64_t deadline;		/* I: ns; NAP_FOREVER: none */
	bool clocked;			/* I: the clock is read after each leaf */
	struct crew *crew;		/* I: counts stolen parts, which have no joiner; or NULL */

	size_t at;			/* A: the lowest index with a result; SIZE_MAX: none yet */
	int32_t over;			/* A: the reason why no more ranges begin, or 0 */

	uint32_t reporting;		/* A: a thread reports progress */
	size_t done;			/* A: indices that have been run, for progress() */
	uint64_t report_at;		/* written by the reporting thread: the next report, ns */
};

/* Called by a leaf: @index has a result, and indices above it no longer matter. */
static inline void ranges_lower(struct nap__ranges *ranges, size_t index)
{
	size_t at = nap_load_relaxed(&ranges->at);

	/* Not noticed in tests when <= for <: then the index is stored once more. */
	while (index < at && !nap_try_cmpxchg_relaxed(&ranges->at, &at, index))
		;
}

/* Ends the loop, for the reason @why; the first reason counts. Called by any thread. */
static inline void ranges_end(struct nap__ranges *ranges, int why)
{
	nap_cmpxchg_relaxed(&ranges->over, 0, why);
}

/* Called when all ranges have ended: returns the reason that ended the loop, or 0. */
static inline int ranges_why(struct nap__ranges *ranges)
{
	int over;

	unseen_begin();
	over = nap_load_relaxed(&ranges->over);
	unseen_end();
	return over;
}

/* Whether each right half has its own value, even if it is not stolen. */
static inline bool ranges_fixed(const struct nap__ranges *ranges)
{
	return ranges->how->flags & NAP_LOOP_FIXED;
}

static inline bool ranges_first(const struct nap__ranges *ranges)
{
	return ranges->how->flags & NAP_LOOP_FIRST;
}

/* The time that a leaf should take. A time below LEAST_NS would measure the clock itself. */
#define LEAF_NS		8000u
#define LEAST_NS	400u

/* One thread's part in a loop. */
struct part {
	struct nap__ranges *ranges;
	size_t grain;		/* indices in the next leaf */
	uint64_t since;		/* if clocked: when the thread last read the clock, ns */
	uint64_t took;		/* the duration of the last leaf, ns */
	size_t ran;		/* if clocked: the number of indices that the thread has run */
	uint64_t ran_ns;	/* if clocked: the time that these indices took, ns */
};

/* Begins a thread's part, with @grain indices in the first leaf. */
struct part nap__part_of(struct nap__ranges *ranges, size_t grain);

/* Whether there is a reason not to begin a range. */
static inline bool ranges_over(struct nap__ranges *ranges)
{
	if (ranges->how->stop && nap_load_relaxed(ranges->how->stop))
		ranges_end(ranges, -ECANCELED);
	return nap_load_relaxed(&ranges->over);
}

/* Whether the range that begins at @begin need no longer be run. */
static inline bool leaf_is_over(struct part *part, size_t begin)
{
	struct nap__ranges *ranges = part->ranges;
	bool over = true;

	unseen_begin();
	/* Checked first: if only higher indices remain, no stop or timeout matters. */
	if (begin <= nap_load_relaxed(&ranges->at)) {
		if (part->since >= ranges->deadline)
			ranges_end(ranges, -ETIMEDOUT);
		over = ranges_over(ranges);
	}
	unseen_end();
	return over;
}

/*
 * Returns how many of the @rest remaining indices the next leaf has. The last two leaves are about
 * equal, so that each has at least half a grain.
 */
static inline size_t next_leaf(const struct part *part, size_t rest)
{
	size_t grain = part->grain;

	if (rest <= grain)
		return rest;
	/* Not noticed in tests when <= for <: half of two grains is a grain. */
	return rest - grain < grain ? rest - rest / 2 : grain;
}

/* Runs one leaf, which is not over, into @value. Returns what the program's function returned. */
int nap__leaf_run(struct part *part, size_t begin, size_t end, void *value);

/*
 * Runs leaves until @end, or until the loop is over. Returns the first result that is not 0, or 0.
 */
int nap__leaves_run(struct part *part, size_t begin, size_t end, void *value);

/*
 * Sets up @inside, a loop inside another. Each part of the outer loop runs on one thread, by @leaf
 * and @arg, with the grain, stop and timeout of @how. If the clock is not to decide how long a leaf
 * is, or need not, a part without a grain is one leaf.
 */
void nap__ranges_inside(struct nap__ranges *inside, const struct nap_loop *how, uint64_t deadline,
			int (*leaf)(struct nap__ranges *, size_t, size_t, void *), void *arg);

/* Runs one part of a loop inside another. Returns ranges->over, or 0. */
int nap__part_run(struct nap__ranges *ranges, size_t begin, size_t end, void *value);

#endif /* NAP_PARALLEL_LEAF_H */
