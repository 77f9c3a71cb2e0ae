/* SPDX-License-Identifier: MIT */
/*
 * Alternatives: the other forms that an event could have had. The top frame notes them. The
 * search takes them one at a time, the newest first.
 */
#ifndef NAP_CHECK_ALTERNATIVES_H
#define NAP_CHECK_ALTERNATIVES_H

#include "explore/frames.h"
#include "explore/strategy.h"

/* Makes the first graph of a search. */
void first_graph(void);

/* Takes the newest alternative; at least one is left. Returns whether there is a graph to run. */
bool take_newest(void);

/* Puts the next graph to run into the top frame; false if no alternative remains. */
bool next_graph(void);

/* Change the event @item.event to what @item says. Return whether the graph is then to be run. */
bool take_read(struct graph *g, struct item item);
bool take_write(struct graph *g, struct item item);
bool take_choice(struct graph *g, struct item item);

void note_reads(struct event *e, const uint16_t *candidates, unsigned nr);
void note_writes(struct event *e, const uint16_t *candidates, unsigned nr);
void note_choices(struct event *e);

/* ---- revisit.c */

/* Notes in the top frame the earlier reads that could have read the new write @a. */
void note_revisits(struct graph *g, const struct event *a);

/* Makes a frame in which @r reads @a. Each position that @a may have in co is an alternative. */
void revisit(struct graph *old, unsigned a, unsigned r);

/*
 * @e is the read of a read-modify-write, and reads a write that another read-modify-write has
 * read already. Lets @e write, and lets the other read-modify-write read what @e writes.
 */
void contend(struct graph *g, struct event *e);

/* Keeps a read that can only contend (revisit.c), outside of the graph. */
void note_contender(const struct event *e, const uint16_t *candidates, unsigned nr);

/* ---- bound.c */

void schedule_force(int thread);	/* the thread to pick next; or -1 */

#endif /* NAP_CHECK_ALTERNATIVES_H */
