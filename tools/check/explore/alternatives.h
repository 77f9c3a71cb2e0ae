/* SPDX-License-Identifier: MIT */
/*
 * Alternatives: what else an event might have been, noted in the top frame, and taken one at a time,
 * the newest first.
 */
#ifndef NAP_CHECK_ALTERNATIVES_H
#define NAP_CHECK_ALTERNATIVES_H

#include "explore/frames.h"
#include "explore/strategy.h"

/* The first graph of a search. */
void first_graph(void);

/* The next graph to run, in the top frame; false: that was all. */
bool next_graph(void);

/* The event @item.event becomes what @item says. Whether the graph is then one to run. */
bool take_read(struct graph *g, struct item item);
bool take_write(struct graph *g, struct item item);
bool take_choice(struct graph *g, struct item item);

void note_reads(struct event *e, const uint16_t *candidates, unsigned nr);
void note_writes(struct event *e, const uint16_t *candidates, unsigned nr);
void note_choices(struct event *e);

/* ---- revisit.c */

/* The earlier reads that could have read the new write @a are noted in the top frame. */
void note_revisits(struct graph *g, const struct event *a);

/* In a new frame: @a is read by @r. Where @a stands is left as alternatives. */
void revisit(struct graph *old, unsigned a, unsigned r);

/*
 * The read-modify-write whose read @e has just been given a write that another has read already:
 * it writes, and the other reads that instead.
 */
void contend(struct graph *g, struct event *e);

/* A read that contends only is kept for that, outside of the graph. */
void note_contender(const struct event *e, const uint16_t *candidates, unsigned nr);

/* ---- bound.c */

void schedule_force(int thread);	/* to be picked next; or -1 */

#endif /* NAP_CHECK_ALTERNATIVES_H */
