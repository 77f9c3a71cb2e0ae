/* SPDX-License-Identifier: MIT */
/* What the files of lanes/ have in common while a trace is built. */
#ifndef TRACE_BUILD_H
#define TRACE_BUILD_H

#include "lanes/lanes.h"
#include "lanes/pending.h"

struct build {
	struct trace *trace;
	struct pending pending;
	uint32_t *slots;	/* lanes, hashed by kind and number: index + 1 */
	size_t nr_slots;
	uint32_t parked;	/* workers that sleep, */
	uint32_t waking;	/* and of these, those that were woken and do not know yet */
	struct gap gap;		/* the one that is open, if it has a lane */
};

/* events.c: all tracks as one list by time, each event with its lane. */
void read_events(struct build *build);

/* find.c: the index of the lane, which is made if it is new. */
uint32_t lane_of(struct build *build, enum lane_kind kind, uint64_t id, int64_t now);

/* spans.c: a lane's spans. A pointer is valid until the lane's next span is opened. */
struct span *span_open(struct lane *lane, enum span_kind kind, int64_t now);
/* Ends the innermost span of @kind, and what is open inside. Made up, if there is none. */
struct span *span_close(struct lane *lane, enum span_kind kind, int64_t now);
/* The innermost open span; NULL: none. */
struct span *span_inside(struct lane *lane);
/* The open span around it; NULL: none. */
struct span *span_around(struct lane *lane);
/* Adds the leaf of a loop that @event ends. */
void span_leaf(struct lane *lane, const struct event *event);
/* Ends all that is open, since the trace ends. */
void spans_end(struct lane *lane, int64_t end);

/* steals.c: the lane of the worker from which @event took something; NOWHERE: none, as that of a guest. */
uint32_t victim_of(struct build *build, const struct event *event);
/* Tasks were stolen: the lane's next task came from the victim, if it is the first of them. */
void steal(struct build *build, const struct event *event);

/* gaps.c: what is queued or parked has changed. */
void gaps_look(struct build *build, int64_t now);
void gaps_end(struct build *build, int64_t end);

#endif /* TRACE_BUILD_H */
