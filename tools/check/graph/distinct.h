/* SPDX-License-Identifier: MIT */
/* A set of execution graphs, to compare ways of exploring. */
#ifndef NAP_CHECK_DISTINCT_H
#define NAP_CHECK_DISTINCT_H

#include "graph/graph.h"

struct graph_set {
	uint64_t *hashes;	/* 0: a free slot */
	size_t nr, room;
};

void graph_set_clear(struct graph_set *set);

/* Adds @g; false if @g was there already. Graphs are told apart by 64 bits of hash. */
bool graph_set_add(struct graph_set *set, const struct graph *g);

#endif /* NAP_CHECK_DISTINCT_H */
