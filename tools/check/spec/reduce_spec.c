/* SPDX-License-Identifier: MIT */
/*
 * nap/reduce.h. A range is added to the value of the ranges before it, or to the value of no index.
 * Two neighbouring values are merged, the lower one on the left.
 */
#include "for_spec.h"

#include <string.h>

void *spec_nothing(const struct nap_reduction *by, void *value)
{
	if (by->nothing)
		memcpy(value, by->nothing, by->size);
	else
		memset(value, 0, by->size);
	return value;
}

static void add(struct spec_loop *loop, size_t first, size_t end, void *value)
{
	int err = loop->by->add(first, end, value, loop->arg);

	if (err)
		spec_loop_ends(loop, first, err, true, 0);
}

int nap_reduce(struct nap_pool *pool, const struct nap_loop *how, size_t first, size_t end,
	       const struct nap_reduction *by, void *value, void *arg)
{
	struct spec_loop loop = { .how = how, .range = add, .by = by, .arg = arg };

	if (!by || !value || !by->add || !by->merge || !by->size || by->size > NAP_REDUCE_SIZE)
		return -EINVAL;
	if (by->size > SPEC_VALUE)
		check_fail("the specification reduces to at most %u bytes", SPEC_VALUE);
	return spec_loop(pool, &loop, first, end, value);
}
