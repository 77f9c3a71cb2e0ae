/* SPDX-License-Identifier: MIT */
/*
 * A line on standard error from time to time, with an estimate of what is left (--progress).
 *
 * An alternative cuts the graph back to an event, and what follows after that event is much the same
 * whichever alternative it is. So the alternatives at one event lead to about as many graphs each. How
 * many that is, is known from those that have been searched. Events before the first of which this is
 * known have more below them: each by the factor by which the known ones grow from event to event.
 */
#ifndef NAP_CHECK_PROGRESS_H
#define NAP_CHECK_PROGRESS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

#define PROGRESS_INTERVAL 1.0	/* seconds between two lines */
extern bool progress_wanted;
extern unsigned long progress_every;	/* executions between two lines, instead; or 0 */

struct item;
struct graph;

void progress_begin(void);
/* Returns where the estimate has the alternative to @g: how many events of @g it keeps. */
unsigned progress_place(const struct graph *g, const struct item *item);

/* Kinds of places: at a read-modify-write that contends the graph is cut back further (revisit.c). */
#define PLACE_CONTENDS	MAX_EVENTS
#define PLACE_RMW	(2 * MAX_EVENTS)
#define NR_PLACES	(3 * MAX_EVENTS)
/* So many graphs were run since an alternative at the place was taken, and nothing is left of it. */
void progress_learn(unsigned place, unsigned long graphs);
/* Returns how many graphs the alternatives lead to that this process has noted. */
double progress_left(void);
/* Prints the line. @left: of all processes. */
void progress_print(unsigned long executions, unsigned long blocked, double left);
bool progress_is_due(unsigned long number_run);

#pragma GCC visibility pop

#endif /* NAP_CHECK_PROGRESS_H */
