/* SPDX-License-Identifier: MIT */
/*
 * Alternatives: the other forms that an event could have had. They are noted in the top frame, and
 * taken one at a time, the newest first.
 */
#ifndef NAP_CHECK_ALTERNATIVES_H
#define NAP_CHECK_ALTERNATIVES_H

#include "explore/frames.h"
#include "explore/strategy.h"

/* The first graph of a search. */
void first_graph(void);

/* Put the next graph to run into the top frame. False: there is none left. */
bool next_graph(void);

/* Change the event @item.event to what @item says. Returns whether the graph is then one to run. */
bool take_read(struct graph *g, struct item item);
bool take_write(struct graph *g, struct item item);
bool take_choice(struct graph *g, struct item item);

void note_reads(struct event *e, const uint16_t *candidates, unsigned nr);
void note_writes(struct event *e, const uint16_t *candidates, unsigned nr);
void note_choices(struct event *e);

/* ---- revisit.c */

/* Note in the top frame the earlier reads that could have read the new write @a. */
void note_revisits(struct graph *g, const struct event *a);

/* Make a new frame, in which @r reads @a. Other positions of @a in co are left as alternatives. */
void revisit(struct graph *old, unsigned a, unsigned r);

/*
 * @e is the read of a read-modify-write, and has just been given a write that another one has read
 * already. Let it write, and let the other one read what it writes.
 */
void contend(struct graph *g, struct event *e);

/* Keep a read that can only contend, outside of the graph. */
void note_contender(const struct event *e, const uint16_t *candidates, unsigned nr);

/* ---- bound.c */

void schedule_force(int thread);	/* the thread to be picked next; or -1 */

#endif /* NAP_CHECK_ALTERNATIVES_H */
