/* SPDX-License-Identifier: MIT */
/* What program/ asks of the exploration during an execution. */
#ifndef NAP_CHECK_EXPLORE_H
#define NAP_CHECK_EXPLORE_H

#include "explore/strategy.h"

/* Returns the thread that is in the middle of a read-modify-write, or -1. */
static inline int half_done(struct graph *g)
{
	for (unsigned t = 0; t < MAX_THREADS; t++) {
		const struct event *e = last_of(g, t);

		if (e && e->kind == E_READ && (e->flags & F_EXCL))
			return (int)t;
	}
	return -1;
}

/* Returns the thread of the mask @runnable that is to add the next event. */
static inline unsigned pick_thread(unsigned current, uint32_t runnable)
{
	int half = half_done(graph);

	if (half >= 0 && (runnable >> half & 1))
		return (unsigned)half;
	return search.strategy->pick(current, runnable);
}

static inline unsigned flags_of_next(void)
{
	return search.strategy->flags ? search.strategy->flags() : 0;
}

#endif /* NAP_CHECK_EXPLORE_H */
