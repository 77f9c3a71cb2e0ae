/* SPDX-License-Identifier: MIT */
/* What the models demand of a graph; axioms.c joins them. */
#ifndef NAP_CHECK_AXIOMS_H
#define NAP_CHECK_AXIOMS_H

#include "check.h"

/* ---- psc.c */

bool psc_acyclic(struct graph *g);

/* A light fence is ordered against heavy ones only. */
static inline bool fences_may_pair(const struct event *a, const struct event *b)
{
	return !((a->flags | b->flags) & F_LIGHT) || ((a->flags | b->flags) & F_HEAVY);
}

/* Whether a relation on @nr nodes, of which @after are the edges, has a cycle. */
bool has_cycle(uint64_t *after, unsigned nr);

#define MAX_NODES 64

/* Whether @e may have closed a cycle of psc, if there are SC fences only. */
bool may_close(struct graph *g, const struct event *e);

/* ---- machine.c */

/* Whether the event is on no cycle of what the machine (sc, tso) keeps in order. */
bool on_no_cycle(struct graph *g, unsigned number);

/* Whether membarriers and the fences that they pair with can be put in an order. */
bool barriers_acyclic(struct graph *g);

#endif /* NAP_CHECK_AXIOMS_H */
