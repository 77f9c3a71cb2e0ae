/* SPDX-License-Identifier: MIT */
/* A set of execution graphs: to compare ways of exploring with each other. */
#ifndef NAP_CHECK_DISTINCT_H
#define NAP_CHECK_DISTINCT_H

#include "graph/graph.h"

struct graph_set {
	uint64_t *hashes;	/* 0: nothing there */
	size_t nr, room;
};

void graph_set_clear(struct graph_set *set);

/* Put @g in; false: it was there. Graphs are told apart by 64 bits of hash. */
bool graph_set_add(struct graph_set *set, const struct graph *g);

#endif /* NAP_CHECK_DISTINCT_H */
