// SPDX-License-Identifier: MIT
/*
 * Ranges on all who have nothing else to do: src/parallel/ranges.h. Typically the caller finds out
 * how long a few indices take, splits the rest, and joins most of it again.
 */
#include "parallel/ranges.h"

#include <errno.h>

#include <nap/nap.h>

#include "deadline.h"
#include "enter.h"
#include "idle/spin.h"
#include "os.h"
#include "self.h"

const struct nap_loop nap__as_usual;

/* What a leaf is to take, and below what a leaf is so short that the clock itself is measured. */
#define LEAF_NS		4000u
#define LEAST_NS	400u
/* From one leaf to the next, times as many indices. */
#define GROWTH		8u
/* What is left is worth the attention of somebody who is awake. */
#define WORTH_NS	1500u

/* One thread's part in a loop. */
struct part {
	struct nap__ranges *ranges;
	size_t grain;		/* indices in its next leaf */
	uint64_t since;		/* when it last looked at the clock, if it does, ns */
	uint64_t took;		/* its last leaf, ns */
};

/* What is forked: a right half, and what it begins with. */
struct half {
	struct nap__ranges *ranges;
	size_t begin, end;
	size_t grain;
	void *value;		/* in the forker's frame, which outlives the half */
};

/* ---- between two leaves */

/* One at a time; who finds another telling leaves that to it. */
static void tell_progress(struct nap__ranges *ranges, uint64_t now)
{
	const struct nap_loop *how = ranges->how;
	int err = 0;

	/* Pairs with the store below: when to tell, and what the last one told of. [D1] */
	if (nap_cmpxchg_acquire(&ranges->telling, 0, 1))
		return;
	if (now >= ranges->tell_at) {
		err = how->progress(nap_load_relaxed(&ranges->done), ranges->total, ranges->arg);
		ranges->tell_at = nap__os_now() + how->progress_ns;
	}
	/* Pairs with who tells next. [D1] */
	nap_store_release(&ranges->telling, 0);
	if (err)
		ranges_end(ranges, err);
}

/* Whether the range that begins at @begin need not be run any more. */
static bool is_over(struct nap__ranges *ranges, size_t begin)
{
	if (ranges->how->stop && nap_load_relaxed(ranges->how->stop))
		ranges_end(ranges, -ECANCELED);
	return nap_load_relaxed(&ranges->over) || begin > nap_load_relaxed(&ranges->at);
}

/* As many indices as take LEAF_NS, if they are like the last @n, which took @took. */
static size_t next_grain(size_t grain, size_t n, uint64_t took)
{
	size_t most = n > SIZE_MAX / GROWTH ? SIZE_MAX : n * GROWTH;
	uint64_t one = took / n;	/* rounded down: 0 is a very short one */

	if (took < LEAST_NS)
		return grain > most ? grain : most;
	grain = one ? (size_t)(LEAF_NS / one) : most;
	return !grain ? 1 : grain > most ? most : grain;
}

/* @part has run @n indices. */
static void look_at_clock(struct part *part, size_t n)
{
	struct nap__ranges *ranges = part->ranges;
	uint64_t now = nap__os_now();

	part->took = now - part->since;
	part->since = now;
	if (!ranges->how->grain)
		part->grain = next_grain(part->grain, n, part->took);
	if (now >= ranges->deadline)
		ranges_end(ranges, -ETIMEDOUT);
	if (ranges->how->progress) {
		nap_fetch_add_relaxed(&ranges->done, n);
		tell_progress(ranges, now);
	}
}

static int run_leaf(struct part *part, size_t begin, size_t end, void *value)
{
	struct nap__ranges *ranges = part->ranges;
	int err;

	err = ranges->leaf(ranges, begin, end, value);
	if (err && ranges_first(ranges))
		ranges_lower(ranges, begin);
	else if (err)
		ranges_end(ranges, err);
	if (ranges->clocked)
		look_at_clock(part, end - begin);
	return err;
}

/* ---- splitting */

static int half(struct nap_worker *worker, struct nap_frame *top, struct half of);
NAP_JOB(half, int, struct half)

static int split(struct part *part, struct nap_worker *worker, struct nap_frame *top, size_t begin,
		 size_t end, void *value);

/* The left half, then the right one, unless somebody has taken that. Apart: its frame is large. */
static __attribute__((noinline)) int split_in_two(struct part *part, struct nap_worker *worker,
						  struct nap_frame *top, size_t begin, size_t end,
						  void *value)
{
	struct nap__ranges *ranges = part->ranges;
	void *right = ranges->value_size ? __builtin_alloca(ranges->value_size) : NULL;
	struct half of = { ranges, begin + (end - begin) / 2, end, part->grain, right };
	struct nap_frame *next = half_fork(worker, top, of);
	int err = split(part, worker, next, begin, of.begin, value), err_right;

	if (!nap_join(worker, top)) {
		err_right = half_result(top);
		/* Some of that time was not the leaf's. */
		part->since = ranges->clocked ? nap__os_now() : 0;
	} else if (ranges->fixed) {
		err_right = half(worker, top, of);
	} else {
		err_right = split(part, worker, top, of.begin, end, value);
		return err ? err : err_right;
	}
	if (ranges->value_size)
		ranges->merge(ranges, value, right);
	return err ? err : err_right;
}

static int split(struct part *part, struct nap_worker *worker, struct nap_frame *top, size_t begin,
		 size_t end, void *value)
{
	if (is_over(part->ranges, begin))
		return 0;
	if (end - begin > part->grain)
		return split_in_two(part, worker, top, begin, end, value);
	return run_leaf(part, begin, end, value);
}

static struct part part_of(struct nap__ranges *ranges, size_t grain)
{
	return (struct part){ ranges, grain, ranges->clocked ? nap__os_now() : 0, 0 };
}

static int half(struct nap_worker *worker, struct nap_frame *top, struct half of)
{
	struct part part = part_of(of.ranges, of.grain);

	if (of.ranges->value_size)
		of.ranges->clear(of.ranges, of.value);
	return split(&part, worker, top, of.begin, of.end, of.value);
}

/* ---- the caller */

/* Whether others are to be told of @rest indices, after @n have taken @took. */
static bool is_worth_it(struct nap_pool *pool, size_t rest, size_t n, uint64_t took)
{
	bool awake = nap_load_relaxed(&pool->spinning[0]);
	uint64_t worth = awake ? WORTH_NS : nap__spin_pays_ns();

	return took >= LEAST_NS && (rest > SIZE_MAX / LEAF_NS || rest >= worth ||
				    rest * (took / n + 1) >= worth);
}

/* The caller of a loop, in it. */
struct caller {
	struct part part;
	size_t begin, end;	/* what is left */
	void *value;
	int err;
};

/* One leaf after another; @alone: all of them, else until others are to be told. */
static void run_alone(struct caller *caller, bool alone)
{
	struct part *part = &caller->part;
	size_t n = 1;

	while (caller->begin < caller->end && !is_over(part->ranges, caller->begin)) {
		size_t rest = caller->end - caller->begin;
		int err;

		if (!alone && is_worth_it(part->ranges->pool, rest, n, part->took))
			return;
		n = part->grain < rest ? part->grain : rest;
		err = run_leaf(part, caller->begin, caller->begin + n, caller->value);
		caller->err = caller->err ? caller->err : err;
		caller->begin += n;
	}
	caller->begin = caller->end;
}

static void run_with_others(struct nap_worker *worker, void *arg)
{
	struct caller *caller = arg;
	int err = split(&caller->part, worker, nap_top(worker), caller->begin, caller->end,
			caller->value);

	caller->err = caller->err ? caller->err : err;
}

int nap__ranges_run(struct nap__ranges *ranges, size_t begin, size_t end, void *value)
{
	const struct nap_loop *how = ranges->how;
	struct nap_pool *pool = ranges->pool;
	struct nap_worker *worker = own_worker(pool);
	struct caller caller = { .begin = begin, .end = end, .value = value };
	int err = 0;

	/* One by one: nobody else can see them yet, but the model checker has to. */
	nap_store_relaxed(&ranges->at, SIZE_MAX);
	nap_store_relaxed(&ranges->over, 0);
	nap_store_relaxed(&ranges->telling, 0);
	nap_store_relaxed(&ranges->done, 0);
	if (!worker && (pool_forked(pool) || gate_is_closed(&pool->intake)))
		return -ESHUTDOWN;
	ranges->total = end - begin;
	ranges->deadline = how->timeout_ns ? deadline_after(how->timeout_ns) : NAP_FOREVER;
	ranges->clocked = !how->grain || how->timeout_ns || how->progress;
	caller.part = part_of(ranges, how->grain ? how->grain : 1);
	ranges->tell_at = caller.part.since + how->progress_ns;
	if (!how->grain)
		run_alone(&caller, false);
	if (caller.begin == caller.end)
		;
	else if (worker)
		run_with_others(worker, &caller);
	else
		err = nap_call(pool, run_with_others, &caller);
	if (err && caller.begin == begin)
		return err;
	/* The pool was shut down meanwhile. */
	if (err)
		run_alone(&caller, true);
	err = nap_load_relaxed(&ranges->over);
	return err ? err : caller.err;
}
