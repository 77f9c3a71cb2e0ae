/* SPDX-License-Identifier: MIT */
/* The partial order of RC11's seq_cst accesses and fences. */
#ifndef NAP_CHECK_PSC_H
#define NAP_CHECK_PSC_H

#include "graph/graph.h"

/*
 * Whether the access @number, the last event of its thread, takes part in no cycle of psc. Other
 * cycles are not looked for.
 */
bool psc_acyclic_at(struct graph *g, unsigned number);

#endif /* NAP_CHECK_PSC_H */
