/* SPDX-License-Identifier: MIT */
/* What C's models ask of two events: which comes first, and whether an access is seq_cst. */
#ifndef NAP_CHECK_RANKS_H
#define NAP_CHECK_RANKS_H

#include "graph/graph.h"

static inline bool hb(const struct event *a, const struct event *b)
{
	return a != b && vector_has(&b->clock, a);
}

/*
 * Returns the rank of an access in the coherence order of its location: a write, then the reads
 * of this write, then the next write.
 */
static inline unsigned rank(const struct graph *g, const struct event *e)
{
	return 2 * co_pos(g, e) + (e->kind == E_READ);
}

static inline bool is_sc_access(const struct event *e)
{
	if (e->kind == E_READ && e->rmw == RMW_CAS && !(e->flags & F_EXCL))
		return e->fail_order & O_SC;
	return is_access(e) && (e->order & O_SC);
}

static inline bool is_sc_fence(const struct event *e)
{
	return e->kind == E_FENCE && (e->order & O_SC);
}

#endif /* NAP_CHECK_RANKS_H */
