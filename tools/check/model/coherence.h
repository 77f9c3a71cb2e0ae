/* SPDX-License-Identifier: MIT */
/* What a read may read and where a write may stand, as far as hb decides it. */
#ifndef NAP_CHECK_COHERENCE_H
#define NAP_CHECK_COHERENCE_H

#include "graph/graph.h"

/* The oldest position in co that a thread with this @clock may still read at @location. */
unsigned coherence_floor(const struct graph *g, unsigned location, const vector *clock);

/*
 * The writes that @e (computed up to its rf) may read, the newest first. Returns how many. @contends:
 * a read-modify-write may read what another one has read, if that can be changed to read @e's.
 */
unsigned read_candidates(struct graph *g, struct event *e, bool contends, uint16_t *out);

/* The writes after which the write @e may be put, the newest first. */
unsigned write_candidates(struct graph *g, struct event *e, unsigned floor, uint16_t *out);

/* Whether the kernel's rules let @e read what it reads. */
bool kernel_allows(struct graph *g, const struct event *e);

#endif /* NAP_CHECK_COHERENCE_H */
