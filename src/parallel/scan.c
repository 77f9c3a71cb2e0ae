/* SPDX-License-Identifier: MIT */
/*
 * nap_scan(): the indices are divided into parts. The first pass computes a value of each part. The
 * second pass runs each part again, beginning with the value of all parts before it (Blelloch,
 * "Prefix Sums and Their Applications", 1990). The value before the first part is known, and the
 * value of the last part is not needed: so the first part is in the first pass only, and the last
 * part in the second only.
 *
 *	part         0       1       2       3
 *	first pass   each    add     add     -
 *	then         merge from left to right: the value before each part
 *	second pass  -       each    each    each
 *
 * Typically the loop is short, and the caller runs it in one pass.
 */
#include <errno.h>
#include <string.h>

#include <nap/nap.h>

#include "os/os.h"
#include "parallel/ranges.h"
#include "sync/debug.h"
#include "worker/leaving.h"
#include "worker/phase.h"

/*
 * The largest number of parts. The values of all parts lie on the stack if they take at most
 * SUMS_SIZE bytes.
 */
#define PARTS_MAX	64u
#define SUMS_SIZE	4096u

struct scan {
	struct nap_pool *pool;
	const struct nap_loop *how;
	/* the inner loop over parts, each part on one thread, in both passes */
	struct nap__ranges inside;
	struct nap_loop inside_how;
	const struct nap_reduction *by;
	nap_add_fn each;
	void *arg;
	void *value;			/* the value before the first part */
	/* the indices; the number of indices in a part (the last part may have fewer) */
	size_t begin, end, part;
	/* the number of parts; bytes from one part's value to the next */
	size_t parts, stride;
	unsigned char *sums;
	bool in_turn;			/* there is no memory for the values of all parts */
	int err;
};

/* Returns the value of part @i; after the merge the value of all parts up to @i. */
static void *sum_of(struct scan *scan, size_t i)
{
	return scan->sums + i * scan->stride;
}

/* One pass over a part. */
struct pass {
	nap_add_fn add;
	void *value;
};

static int scan_run_range(struct nap__ranges *inside, size_t begin, size_t end, void *arg)
{
	const struct pass *pass = arg;

	return pass->add(begin, end, pass->value, inside->arg);
}

static int run_part(struct scan *scan, nap_add_fn add, size_t i, void *value)
{
	size_t at = scan->begin + i * scan->part;
	/* Not noticed in tests when <= for <: then both are the same number. */
	size_t end = scan->end - at < scan->part ? scan->end : at + scan->part;
	struct pass pass = { add, value };

	return nap__part_run(&scan->inside, at, end, &pass);
}

static int first_pass(size_t i, size_t end, void *arg)
{
	struct scan *scan = arg;
	int err = 0;

	for (; i < end && !err; i++) {
		void *sum = sum_of(scan, i);

		if (i)
			reduction_clear(scan->by, sum);
		else
			memcpy(sum, scan->value, scan->by->size);
		err = run_part(scan, i ? scan->by->add : scan->each, i, sum);
	}
	return err;
}

static void merge_values(struct scan *scan)
{
	size_t size = scan->by->size;
	void *sum = __builtin_alloca(size);

	memcpy(sum, scan->sums, size);
	for (size_t i = 1; i < scan->parts - 1; i++) {
		scan->by->merge(sum, sum_of(scan, i), scan->arg);
		memcpy(sum_of(scan, i), sum, size);
	}
}

static int second_pass(size_t i, size_t end, void *arg)
{
	struct scan *scan = arg;
	int err = 0;

	/* @each changes sum_of(scan, i - 1), which is for part @i alone. */
	for (; i < end && !err; i++)
		err = run_part(scan, scan->each, i, sum_of(scan, i - 1));
	return err;
}

/*
 * Runs one pass over parts @i to @end - 1. Each part checks the scan's own deadline (@inside). That
 * comes before the deadline of the loop over the parts, which begins later.
 */
static int run_parts(struct scan *scan, size_t i, size_t end, nap_range_fn run)
{
	struct nap_loop by_part = *scan->how;

	by_part.grain = 1;	/* Not noticed in tests when 2 for 1: fewer threads take part. */
	/* Not noticed in tests when 1 for 0: the caller runs a part that is alone anyway. */
	by_part.serial = 0;
	by_part.owners = NULL;
	/* The first pass may have forked; in the child the pool refuses calls. */
	if (pool_forked(scan->pool))
		return run(i, end, scan);
	return nap_for_as(scan->pool, &by_part, i, end, run, scan);
}

static int scan_parts(struct scan *scan)
{
	int err = run_parts(scan, 0, scan->parts - 1, first_pass);

	if (err)
		return err;
	merge_values(scan);
	err = run_parts(scan, 1, scan->parts, second_pass);
	memcpy(scan->value, sum_of(scan, scan->parts - 2), scan->by->size);
	return err;
}

/* Divides the indices into at most @most parts. */
static void divide(struct scan *scan, size_t most)
{
	size_t n = scan->end - scan->begin, grain = scan->how->grain;

	scan->part = (n - 1) / most + 1;
	/* Not noticed in tests when <= for <: then both are the same number. */
	if (scan->part < grain)
		scan->part = grain;
	scan->parts = (n - 1) / scan->part + 1;
}

/*
 * Both passes on this thread, part by part, which takes two values instead of one for each part.
 * The same parts are merged in the same order as by scan_parts().
 */
static int scan_in_turn(struct scan *scan)
{
	size_t size = scan->by->size, last = scan->parts - 1;
	void *before = __builtin_alloca(size), *sum = __builtin_alloca(size);
	int err = run_part(scan, scan->each, 0, scan->value);

	memcpy(before, scan->value, size);
	for (size_t i = 1; i <= last && !err; i++) {
		reduction_clear(scan->by, sum);
		/* This comes first, because @each may write where @add reads. */
		err = i < last ? run_part(scan, scan->by->add, i, sum) : 0;
		memcpy(scan->value, before, size);
		err = err ? err : run_part(scan, scan->each, i, scan->value);
		if (i < last)
			scan->by->merge(before, sum, scan->arg);
	}
	return err;
}

/* Runs both passes in one call of the pool, so that the pool cannot refuse the second pass. */
static void scan_called(struct nap_worker *unused, void *arg)
{
	struct scan *scan = arg;

	(void)unused;
	/*
	 * Not noticed in tests when <= for < or 3 for 2: two parts in turn give the same values.
	 */
	scan->err = scan->in_turn || scan->parts < 2 ? scan_in_turn(scan) : scan_parts(scan);
}

/* @begun: some indices are done, so the remaining ones have to be done, too. */
static int scan_divided(struct scan *scan, bool begun)
{
	int err = nap_call_until(scan->pool, scan_called, scan, scan->inside.deadline);

	if (!err || err == -ETIMEDOUT)
		return err ? err : scan->err;
	if (!begun)
		return -ESHUTDOWN;
	/* Not noticed in tests when operands of - swapped: a part ends with the range. */
	scan->part = scan->end - scan->begin;
	scan->parts = 1;	/* Not noticed in tests when 2 for 1: the second part is empty. */
	return scan_in_turn(scan);
}

/*
 * Maps memory for values that are too large for the stack. Without memory there are fewer parts, or
 * one; or all of them in turn, if the parts are fixed.
 */
static int scan_mapped(struct scan *scan, bool begun)
{
	size_t size = scan->stride * PARTS_MAX;
	unsigned char sums[SUMS_SIZE] __attribute__((aligned(16)));
	unsigned char *mapped = size > SUMS_SIZE ? nap__os_map(size) : NULL;
	int err;

	nothing_leaves();
	scan->sums = mapped ? mapped : sums;
	/* Not noticed in tests when >= for >: one thread computes the same values. */
	scan->in_turn = !mapped && size > SUMS_SIZE && scan->how->flags & NAP_LOOP_FIXED;
	/* Not noticed in tests when < for <=: there is room for PARTS_MAX values. */
	divide(scan, mapped || size <= SUMS_SIZE || scan->in_turn ? PARTS_MAX :
								      SUMS_SIZE / scan->stride);
	err = scan_divided(scan, begun);
	if (mapped)
		nap__os_unmap(mapped, size);
	return err;
}

struct alone {
	struct nap__ranges ranges;
	nap_add_fn each;
};

static int scan_run_alone(struct nap__ranges *ranges, size_t begin, size_t end, void *value)
{
	return nap_container_of(ranges, struct alone, ranges)->each(begin, end, value, ranges->arg);
}

/* Not inlined, because the frame is large. */
static __attribute__((noinline)) int scan_rest(struct alone *alone, size_t begin, size_t end,
					       bool begun, const struct nap_reduction *by,
					       void *value)
{
	struct nap__ranges *ranges = &alone->ranges;
	struct scan scan = {
		.pool = ranges->pool, .how = ranges->how, .inside_how = *ranges->how, .by = by,
		.each = alone->each, .arg = ranges->arg, .value = value, .begin = begin,
		.end = end, .stride = (by->size + 15) / 16 * 16,
	};

	scan.inside_how.progress = NULL;
	nap__ranges_inside(&scan.inside, &scan.inside_how, ranges->deadline, scan_run_range,
			   ranges->arg);

	return scan_mapped(&scan, begun);
}

int nap_scan(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
	     const struct nap_reduction *by, nap_add_fn each, void *value, void *arg)
{
	struct alone alone = { ranges_of(pool, how, scan_run_alone, arg), each };
	size_t first = begin;
	int err;

	if (!ranges_valid(pool, how, begin, end) || !reduction_valid(by) || !each || !value ||
	    ranges_first(&alone.ranges))
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	if (begin == end)
		return 0;
	if (how && end - begin <= how->serial)
		return each(begin, end, value, arg);
	err = nap__ranges_run_alone(&alone.ranges, &begin, end, value);
	return err || begin == end ? err :
				     scan_rest(&alone, begin, end, begin != first, by, value);
}
