/* SPDX-License-Identifier: MIT */
/*
 * nap_find(), nap_any(), nap_all(): loops of src/parallel/ranges.h that a match ends. Typically the
 * caller finds a match in its first few indices, or all ranges are searched.
 */
#include <errno.h>

#include <nap/nap.h>

#include "parallel/ranges.h"
#include "sync/debug.h"

struct match {
	struct nap__ranges ranges;
	nap_find_fn look;
};

static int look_for_match(struct nap__ranges *ranges, size_t begin, size_t end, void *unused)
{
	struct match *match = nap_container_of(ranges, struct match, ranges);
	size_t index = match->look(begin, end, ranges->arg);

	(void)unused;
	if (index >= end)
		return 0;
	unseen_begin();
	ranges_lower(ranges, index);
	unseen_end();
	/* With NAP_LOOP_FIRST lower ranges continue; higher ranges read ranges->at, and end. */
	return !ranges_first(ranges);
}

/* Finds a match. *@at: its index, or @end or more if there is none. */
static int find_lowest(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
		       nap_find_fn look, void *arg, size_t *at)
{
	struct match match = { ranges_of(pool, how, look_for_match, arg), look };
	int err = nap__ranges_run(&match.ranges, begin, end, NULL);

	unseen_begin();
	*at = nap_load_relaxed(&match.ranges.at);
	unseen_end();
	/* After an error a match that was found counts, unless the lowest match is asked for. */
	return err < 0 && (ranges_first(&match.ranges) || *at >= end) ? err : 0;
}

int nap_find(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
	     nap_find_fn match, void *arg, size_t *index)
{
	size_t at = end;
	int err = 0;

	if (!ranges_valid(pool, how, begin, end) || !match || !index)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	if (how && end - begin <= how->serial)
		at = begin < end ? match(begin, end, arg) : end;
	else if (begin < end)
		err = find_lowest(pool, how, begin, end, match, arg, &at);
	if (err)
		return err;
	if (at >= end)
		return -ENOENT;
	*index = at;
	return 0;
}

int nap_any(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
	    nap_find_fn match, void *arg)
{
	size_t index;
	int err;

	debug_aligned(pool, __func__, __builtin_return_address(0));
	err = nap_find(pool, how, begin, end, match, arg, &index);
	return err == -ENOENT ? 0 : err ? err : 1;
}

int nap_all(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
	    nap_find_fn differs, void *arg)
{
	int any;

	debug_aligned(pool, __func__, __builtin_return_address(0));
	any = nap_any(pool, how, begin, end, differs, arg);
	return any < 0 ? any : !any;
}
