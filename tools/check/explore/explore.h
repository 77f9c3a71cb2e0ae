/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the exploration need of each other: search.c, explore.c, revisit.c, schedule.c.
 */
#ifndef NAP_CHECK_EXPLORE_H
#define NAP_CHECK_EXPLORE_H

#include "explore/frames.h"

/* ---- explore.c */

/* The next graph to run, in the top frame; false: that was all. */
bool next_graph(void);

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

/* ---- schedule.c */

void schedule_begin(void);		/* a search */
void schedule_next_sample(void);
void schedule_force(int thread);	/* to be picked next; or -1 */
unsigned random_below(unsigned n);

#endif /* NAP_CHECK_EXPLORE_H */
