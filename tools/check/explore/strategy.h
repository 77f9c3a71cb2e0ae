/* SPDX-License-Identifier: MIT */
/*
 * Strategies. A strategy decides which graph runs next, which thread adds the next event to it,
 * and what becomes of the event's other forms. Each strategy is one file.
 */
#ifndef NAP_CHECK_STRATEGY_H
#define NAP_CHECK_STRATEGY_H

#include "explore/search.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

struct strategy {
	const char *counted;	/* in a verdict, after "executions" */
	const char *extent;	/* after the verdict; "" if the verdict holds for all executions */
	/*
	 * True: the strategy runs graphs. One graph stands for all orders of the program's threads
	 * that lead to it, and a revisit changes an earlier read of a graph (revisit.c). False: the
	 * strategy runs orders. A graph only grows during a run, and a thread that spins goes on in
	 * the same graph.
	 */
	bool reduces;
	void (*begin)(void);	/* begins a search; may be NULL */
	bool (*next)(void);	/* makes the next @graph; false if none remains */
	unsigned (*pick)(unsigned current, uint32_t runnable);
	/* Returns those of the event that is being added; asked once. May be NULL. */
	unsigned (*flags)(void);
	/* Note the other candidates. The event was added with the first one. */
	void (*read)(struct event *e, const uint16_t *candidates, unsigned nr);
	void (*write)(struct event *e, const uint16_t *candidates, unsigned nr);
	void (*choice)(struct event *e);
	/*
	 * Called in place of read(), if another read-modify-write reads each candidate. May be
	 * NULL.
	 */
	void (*dropped)(const struct event *e, const uint16_t *candidates, unsigned nr);
};

extern const struct strategy strategy_trust, strategy_sample, strategy_bound, strategy_replay;

/* Whether the model allows the graph after the events @changed and @also have changed. */
static inline bool allowed(struct graph *g, unsigned changed, unsigned also)
{
	return search.model->allows(g, changed, also);
}

#pragma GCC visibility pop

#endif /* NAP_CHECK_STRATEGY_H */
