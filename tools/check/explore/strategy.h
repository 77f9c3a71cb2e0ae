/* SPDX-License-Identifier: MIT */
/*
 * Strategies: which graph is run next, which thread adds the next event to it, and what becomes of
 * the others that it might have been. One file each.
 */
#ifndef NAP_CHECK_STRATEGY_H
#define NAP_CHECK_STRATEGY_H

#include "explore/search.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

struct strategy {
	const char *counted;	/* in a verdict, behind "executions" */
	const char *extent;	/* and after the verdict; "": that holds for all executions */
	/*
	 * Graphs stand for all orders in which threads can have run, and are changed by revisits.
	 * Else each run only goes forward: a thread that spins goes on in the same graph.
	 */
	bool reduces;
	void (*begin)(void);	/* a search; may be NULL */
	bool (*next)(void);	/* make @graph the next one; false: that was all */
	unsigned (*pick)(unsigned current, uint32_t runnable);
	unsigned (*flags)(void);	/* of the event that is being added; asked once; may be NULL */
	/* An event was added, as the first of @candidates; what else it might be is theirs to note. */
	void (*read)(struct event *e, const uint16_t *candidates, unsigned nr);
	void (*write)(struct event *e, const uint16_t *candidates, unsigned nr);
	void (*choice)(struct event *e);
	/* A read will not be added, because nothing that it may read is free; may be NULL. */
	void (*dropped)(const struct event *e, const uint16_t *candidates, unsigned nr);
};

extern const struct strategy strategy_trust, strategy_sample, strategy_bound, strategy_replay;

/* Whether the model allows the graph with these events changed. */
static inline bool allowed(struct graph *g, unsigned changed, unsigned also)
{
	return search.model->allows(g, changed, also);
}

#pragma GCC visibility pop

#endif /* NAP_CHECK_STRATEGY_H */
