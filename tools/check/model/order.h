/* SPDX-License-Identifier: MIT */
/* The order that a machine keeps. A graph with a cycle of it is forbidden. */
#ifndef NAP_CHECK_ORDER_H
#define NAP_CHECK_ORDER_H

#include "model/model.h"

/*
 * The order of a machine: rf, co, fr, and the part of po that the machine keeps. Reads stay in
 * order with each other, and a write stays after all earlier events of its thread.
 */
struct machine {
	/* Whether a later read stays after @e, even without a barrier between them. */
	bool (*keeps)(const struct event *e);
	/* Whether no other event of its thread passes @e. */
	bool (*is_barrier)(const struct event *e);
	bool own_rf;	/* rf within a thread is in the order, too */
};

/* Whether the event is on no cycle of the machine's order. */
bool on_no_cycle(const struct machine *machine, struct graph *g, unsigned number);

/* Whether the membarriers, and the light fences that pair with them, can be put in some order. */
bool barriers_acyclic(const struct machine *machine, struct graph *g);

/* Whether @g satisfies the axiom of a machine: its order has no cycle. */
static inline bool order_allows(const struct machine *machine, struct graph *g, unsigned changed,
				unsigned also)
{
	return on_no_cycle(machine, g, changed) && (!also || on_no_cycle(machine, g, also)) &&
	       (!g->nr_barriers || barriers_acyclic(machine, g));
}

/* Whether two fences can be put in order: a light fence only against a heavy one. */
static inline bool fences_may_pair(const struct event *a, const struct event *b)
{
	return !((a->flags | b->flags) & F_LIGHT) || ((a->flags | b->flags) & F_HEAVY);
}

#endif /* NAP_CHECK_ORDER_H */
