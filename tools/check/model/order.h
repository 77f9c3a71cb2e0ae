/* SPDX-License-Identifier: MIT */
/* What a machine keeps in order. A cycle of it is forbidden. */
#ifndef NAP_CHECK_ORDER_H
#define NAP_CHECK_ORDER_H

#include "model/model.h"

/*
 * The order of a machine: po as far as it is kept, rf, co and fr. Reads stay in order with each
 * other, and a write stays after whatever is before it.
 */
struct machine {
	/* Whether a later read stays after @e, even without a barrier between them. */
	bool (*keeps)(const struct event *e);
	/* Whether no other event of its thread passes it. */
	bool (*is_barrier)(const struct event *e);
	bool own_rf;	/* a thread's reads of its own writes are in the order */
};

/* Whether the event is on no cycle of it. */
bool on_no_cycle(const struct machine *machine, struct graph *g, unsigned number);

/* Whether membarriers and the light fences that they pair with can be put in an order. */
bool barriers_acyclic(const struct machine *machine, struct graph *g);

/* The axiom of a machine. */
static inline bool order_allows(const struct machine *machine, struct graph *g, unsigned changed,
				unsigned also)
{
	return on_no_cycle(machine, g, changed) && (!also || on_no_cycle(machine, g, also)) &&
	       (!g->nr_barriers || barriers_acyclic(machine, g));
}

/* A light fence is ordered against heavy ones only. */
static inline bool fences_may_pair(const struct event *a, const struct event *b)
{
	return !((a->flags | b->flags) & F_LIGHT) || ((a->flags | b->flags) & F_HEAVY);
}

#endif /* NAP_CHECK_ORDER_H */
