/* SPDX-License-Identifier: MIT */
/*
 * A line on standard error from time to time, with an estimate of what is left (--progress).
 *
 * An alternative cuts the graph back to an event, and what follows after that event is much the
 * same whichever alternative it is. So the alternatives at one event lead to about as many graphs
 * each. Their number is known for events at which alternatives have been searched. Alternatives at
 * earlier events lead to more graphs. The estimate takes the factor by which the known numbers grow
 * from an event to the event before, and goes on with it.
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
/* Returns the place of an alternative to @g for the estimate: how many events of @g it keeps. */
unsigned progress_place(const struct graph *g, const struct item *item);

/* Kinds of places: if a read-modify-write contends, the graph is cut back further (revisit.c). */
#define PLACE_CONTENDS	MAX_EVENTS
#define PLACE_RMW	(2 * MAX_EVENTS)
#define NR_PLACES	(3 * MAX_EVENTS)
/*
 * Notes that @graphs graphs were run from the time when an alternative at @place was taken until
 * nothing was left of it.
 */
void progress_learn(unsigned place, unsigned long graphs);
/* Returns how many graphs the alternatives of this process lead to, about. */
double progress_left(void);
/* Prints the line. @left: how many graphs are left in all processes. */
void progress_print(unsigned long executions, unsigned long blocked, double left);
bool progress_is_due(unsigned long number_run);

#pragma GCC visibility pop

#endif /* NAP_CHECK_PROGRESS_H */
