/* SPDX-License-Identifier: MIT */
/* What the files of lanes/ share while a trace is built. */
#ifndef TRACE_BUILD_H
#define TRACE_BUILD_H

#include "lanes/lanes.h"
#include "lanes/pending.h"

struct build {
	struct trace *trace;
	struct pending pending;
	uint32_t *slots;	/* index + 1 of a lane, hashed by kind and number */
	size_t nr_slots;
	uint32_t parked;	/* workers that sleep */
	/* how many of the parked workers were woken, and have not noticed it yet */
	uint32_t waking;
	uint32_t looking;	/* workers that have gone on, and look for work */
	bool is_stopped;	/* the pool: no task begins from here on */
	bool is_judged;		/* whole.judged has come */
	struct gap gap;		/* the gap that is open, if its lane is set */
	size_t pauses;		/* how many have passed */
};

/* events.c: reads all tracks as one list in the order of time, each event with its lane. */
void read_events(struct build *build);

/* lanes.c: opens and ends spans, as the next event says. */
void take_event(struct build *build, const struct event *event);
/* Returns the lane on which @event is. */
struct lane *lane_at(struct build *build, const struct event *event);
/*
 * Opens the span of a function, which @event names, and takes the arrow that ends there. If the
 * function is run by a task of nap's own (a fiber's or a work's), this task has taken the arrow
 * before, and hands it on.
 */
struct span *open_named(struct build *build, const struct event *event, enum span_kind kind);

/* fibers.c: called when a fiber begins or goes on; when a fiber waits or ends. */
void fiber_goes_on(struct build *build, const struct event *event);
void fiber_stops(struct build *build, const struct event *event);

/* whole.c: finds out which time is whole, when all events have been read. */
void whole_find(struct build *build);
/*
 * Returns the lane of the worker that @event wakes. NOWHERE if it wakes none, or if the trace lacks
 * the end of that worker's sleep.
 */
uint32_t woken_lane(struct build *build, const struct event *event);

/* find.c: returns the index of the lane, which is made if it is new. */
uint32_t lane_of(struct build *build, enum lane_kind kind, uint64_t id, int64_t now);

/* spans.c: opens a span. The pointer is valid until the lane's next span is opened. */
struct span *span_open(struct lane *lane, enum span_kind kind, int64_t now);
/*
 * Ends the innermost span of @kind, and what is open inside; if there is none, one is made up,
 * which began before the lane's first event.
 */
struct span *span_close(struct lane *lane, enum span_kind kind, int64_t now);
/* Adds a span that ends now. It began after the lane's last span, and not before @least. */
struct span *span_missed(struct lane *lane, enum span_kind kind, int64_t least, int64_t now);
/* Returns the innermost open span; NULL if there is none. */
struct span *span_inside(struct lane *lane);
/* Returns the open span around the innermost one; NULL if there is none. */
struct span *span_around(struct lane *lane);
/* Adds the leaf of a loop that @event ends. */
void span_leaf(struct lane *lane, const struct event *event);
/* Ends all open spans. */
void spans_end(struct lane *lane, int64_t end);
/* Ends all open spans at the end of a stretch, or of the trace, and puts all in their order. */
void stretch_end(struct lane *lane, int64_t end);

/* pauses.c: finds the pauses, when trace->end is known, and leaves out the events inside them. */
void pauses_find(struct build *build);
/*
 * Called before an event at @now: passes the pauses that were over by then. What was open or on its
 * way before a pause is not known after it.
 */
void pauses_pass(struct build *build, int64_t now);
/*
 * Returns the end of the last pause after which the trace has gone on; INT64_MIN if there is none.
 */
int64_t pauses_last(const struct trace *trace);

/*
 * steals.c: returns the lane of the worker from which @event took something; NOWHERE if that worker
 * has no lane, for instance a guest.
 */
uint32_t victim_of(struct build *build, const struct event *event);
/*
 * Notes that tasks were stolen: the lane's next task came from the victim, if that task is the
 * first of the stolen ones.
 */
void steal(struct build *build, const struct event *event);

/* gaps.c: called when the number of queued tasks or parked workers has changed. */
void gaps_look(struct build *build, int64_t now);
/* Called before a thread wakes a worker. */
void gaps_wake(struct build *build, const struct lane *thread);
/* Called at the first sign that the pool was stopped. */
void gaps_stop(struct build *build, int64_t now);
/* Called at a pause of the trace. */
void gaps_pause(struct build *build, int64_t now);
void gaps_end(struct build *build, int64_t end);

#endif /* TRACE_BUILD_H */
