/* SPDX-License-Identifier: MIT */
/* What a read may read and where a write may stand in co, as far as happens-before decides. */
#ifndef NAP_CHECK_COHERENCE_H
#define NAP_CHECK_COHERENCE_H

#include "graph/graph.h"

/* Returns the oldest position in co that a thread with this @clock may still read at @location. */
unsigned coherence_floor(const struct graph *g, unsigned location, const vector *clock);

/*
 * Lists the writes that @e (computed up to its rf) may read, the newest first. Returns how many.
 * With @contends, a read-modify-write may also read a write that another read-modify-write has
 * read, if that other one can be changed to read what @e writes.
 */
unsigned read_candidates(struct graph *g, struct event *e, bool contends, uint16_t *out);

/* Lists the writes after which the write @e may stand in co, the newest first. */
unsigned write_candidates(struct graph *g, struct event *e, unsigned floor, uint16_t *out);

/* Whether the kernel's rules let @e read what it reads. */
bool kernel_allows(struct graph *g, const struct event *e);

#endif /* NAP_CHECK_COHERENCE_H */
