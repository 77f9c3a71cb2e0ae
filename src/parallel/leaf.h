/* SPDX-License-Identifier: MIT */
/*
 * Running one leaf at a time, and what is done between two leaves: check whether the loop is over,
 * and read the clock to choose the size of the next leaf.
 */
#ifndef NAP_PARALLEL_LEAF_H
#define NAP_PARALLEL_LEAF_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/for.h>

#include "arch/atomic.h"

/*
 * One loop, on the stack of its caller. I set at init, A atomic.
 */
struct nap__ranges {
	struct nap_pool *pool;		/* I */
	const struct nap_loop *how;	/* I: not NULL */
	/*
	 * I: run a range into @value; not 0 ends the loop, with NAP_LOOP_FIRST all above the range
	 */
	int (*leaf)(struct nap__ranges *ranges, size_t begin, size_t end, void *value);
	void *arg;			/* I: the leaf's */
	const void *body;		/* I: its iterations take about as long each time; or NULL */

	/* I: only with a value_size: set @value to that of no index; merge @right into @value */
	void (*clear)(struct nap__ranges *ranges, void *value);
	void (*merge)(struct nap__ranges *ranges, void *value, const void *right);
	size_t value_size;
	size_t grain;			/* I: indices in a leaf; 0: by the clock */
	size_t total;			/* I */
	uint64_t deadline;		/* I: ns; NAP_FOREVER */
	bool clocked;			/* I: the clock is read after each leaf */

	size_t at;			/* A: the lowest index that decides; SIZE_MAX: none yet */
	int32_t over;			/* A: not 0: why no range is begun any longer */

	uint32_t reporting;		/* A: a thread is in progress() */
	size_t done;			/* A: indices that have been run, for progress() */
	uint64_t report_at;		/* the reporting thread's: when to do so next, ns */
};

/* Called by a leaf: @index decides, and nothing above it matters. */
static inline void ranges_lower(struct nap__ranges *ranges, size_t index)
{
	size_t at = nap_load_relaxed(&ranges->at);

	while (index < at && !nap_try_cmpxchg_relaxed(&ranges->at, &at, index))
		;
}

/* Any thread: the loop is over; the first reason counts. */
static inline void ranges_end(struct nap__ranges *ranges, int why)
{
	nap_cmpxchg_relaxed(&ranges->over, 0, why);
}

/* Whether each right half has a value of its own. */
static inline bool ranges_fixed(const struct nap__ranges *ranges)
{
	return ranges->how->flags & NAP_LOOP_FIXED;
}

static inline bool ranges_first(const struct nap__ranges *ranges)
{
	return ranges->how->flags & NAP_LOOP_FIRST;
}

/* How long a leaf should take; and below which time the clock itself is what is measured. */
#define LEAF_NS		4000u
#define LEAST_NS	400u

/* One thread's part in a loop. */
struct part {
	struct nap__ranges *ranges;
	size_t grain;		/* indices in its next leaf */
	uint64_t since;		/* when it last read the clock, if it does, ns */
	uint64_t took;		/* how long its last leaf took, ns */
	size_t ran;		/* how many indices it has run in all, */
	uint64_t ran_ns;	/* and for how long */
};

/* A thread begins to take part: @grain indices in the first leaf. */
struct part nap__part_of(struct nap__ranges *ranges, size_t grain);

/* Before a range: whether there is a reason not to begin it. */
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

	/* First, because then nothing remains that a stop or the time could end. */
	if (begin > nap_load_relaxed(&ranges->at))
		return true;
	if (part->since >= ranges->deadline)
		ranges_end(ranges, -ETIMEDOUT);
	return ranges_over(ranges);
}

/*
 * How many of @rest indices the next leaf has. The last two leaves are about equal, so that each
 * has at least half a grain.
 */
static inline size_t next_leaf(const struct part *part, size_t rest)
{
	size_t grain = part->grain;

	if (rest <= grain)
		return rest;
	return rest - grain < grain ? rest - rest / 2 : grain;
}

/* Run one leaf, which is not over, into @value. Returns what the program's function returned. */
int nap__leaf_run(struct part *part, size_t begin, size_t end, void *value);

/*
 * Run leaves until @end, or until the loop is over. Returns the first result that is not 0, or 0.
 */
int nap__leaves_run(struct part *part, size_t begin, size_t end, void *value);

/*
 * Set up @inside, a loop inside another, each of whose parts runs on one thread: by @leaf and @arg,
 * with the grain, stop and timeout of @how. Without a reason to read the clock a part is one leaf.
 */
void nap__ranges_inside(struct nap__ranges *inside, const struct nap_loop *how, uint64_t deadline,
			int (*leaf)(struct nap__ranges *, size_t, size_t, void *), void *arg);

/* Run one of those parts. Returns why @ranges are over, or 0. */
int nap__part_run(struct nap__ranges *ranges, size_t begin, size_t end, void *value);

#endif /* NAP_PARALLEL_LEAF_H */
