/* SPDX-License-Identifier: MIT */
/*
 * nap_reduce(): loops of src/parallel/ranges.h with a separate value for each right half that is
 * stolen. Typically the caller's own ranges all go into the caller's value.
 */
#include <errno.h>
#include <string.h>

#include <nap/nap.h>

#include "parallel/ranges.h"
#include "sync/debug.h"

struct reduction {
	struct nap__ranges ranges;
	const struct nap_reduction *by;
};

static struct reduction *reduction_of(struct nap__ranges *ranges)
{
	return nap_container_of(ranges, struct reduction, ranges);
}

static int reduction_add(struct nap__ranges *ranges, size_t begin, size_t end, void *value)
{
	return reduction_of(ranges)->by->add(begin, end, value, ranges->arg);
}

static void reduction_clear_part(struct nap__ranges *ranges, void *value)
{
	reduction_clear(reduction_of(ranges)->by, value);
}

static void reduction_merge(struct nap__ranges *ranges, void *value, const void *right)
{
	reduction_of(ranges)->by->merge(value, right, ranges->arg);
}

int nap_reduce(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
	       const struct nap_reduction *by, void *value, void *arg)
{
	struct reduction reduction = { ranges_of(pool, how, reduction_add, arg), by };

	if (!ranges_valid(pool, how, begin, end) || !reduction_valid(by) || !value)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	if (begin == end)
		return 0;
	if (how && end - begin <= how->serial)
		return by->add(begin, end, value, arg);
	reduction.ranges.body = (const void *)by->add;
	reduction.ranges.value_size = by->size;
	reduction.ranges.clear = reduction_clear_part;
	reduction.ranges.merge = reduction_merge;
	return nap__ranges_run(&reduction.ranges, begin, end, value);
}
