/* SPDX-License-Identifier: MIT */
/* The partial order of RC11's seq_cst accesses and fences. */
#ifndef NAP_CHECK_PSC_H
#define NAP_CHECK_PSC_H

#include "graph/graph.h"

/*
 * Whether psc has no cycle that the access @number takes part in. @number is the last event of its
 * thread, and a cycle that it takes no part in is not looked for.
 */
bool psc_acyclic_at(struct graph *g, unsigned number);

#endif /* NAP_CHECK_PSC_H */
