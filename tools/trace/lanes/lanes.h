/* SPDX-License-Identifier: MIT */
/*
 * What a trace says, as a person would draw it: lanes with spans on them, and arrows between spans.
 *
 * A lane is a worker, a thread from outside, or a fiber. A span is what happened on a lane from
 * one event to another; spans of a lane nest. An arrow leads from the place where a task was
 * scheduled to the span in which it runs, and from the thread that woke a worker to the end of
 * its sleep.
 *
 * Times are nanoseconds since the trace began. A span whose begin or end is not in the trace
 * reaches to the lane's first event, or to the trace's end, and is marked.
 */
#ifndef TRACE_LANES_H
#define TRACE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/trace_file.h>

#include "file/names.h"

struct raw;

enum lane_kind { LANE_WORKER, LANE_OUTSIDE, LANE_FIBER, LANE_KINDS };

enum span_kind {
	SPAN_TASK,		/* a task, or the function inside one of nap's own tasks */
	SPAN_JOB,		/* a forked job that another thread has taken */
	SPAN_FIBER,		/* a stretch of a fiber */
	SPAN_PARKED,
	SPAN_JOIN,		/* waits for a job that was taken */
	SPAN_GROUP,		/* waits for a group */
	SPAN_BLOCKED,		/* a blocking section */
	SPAN_WAIT,		/* on a fiber's lane: span.wait says what the fiber waits for */
	/* iterations of a loop: from the event before, because only the end is known */
	SPAN_LEAF,
	SPAN_KINDS
};

#define NOWHERE UINT32_MAX

struct span {
	int64_t begin, end;
	/*
	 * address of the task, frame, fiber, group or what is waited for; a leaf's first iteration
	 */
	uint64_t object;
	int64_t since;		/* when the arrow that ends here began */
	int64_t late;		/* how long before @since a timer's task or fiber was due */
	uint32_t from;		/* the lane where the arrow began; NOWHERE if there is none */
	uint32_t name;		/* of the function; of a leaf, of the function around it */
	uint32_t victim;	/* the lane from which it was stolen, or NOWHERE */
	uint32_t nr;		/* of a leaf: how many iterations, at most UINT32_MAX */
	uint16_t depth;
	uint8_t kind;		/* enum span_kind */
	uint8_t wait;		/* enum nap_trace_wait; of a park, the flags of enum nap_trace */
	uint16_t why;		/* of a park: the bits of the UNPARK event */
	bool no_begin, no_end;	/* not in the trace */
	bool inner;		/* not counted as a task, because the task around it is counted */
	bool carrier;		/* nap's own task, which only carries the task inside */
	/* from a serial queue or an order, where it had to wait for the task before it */
	bool in_order;
	bool at_once;		/* was in no queue: its time had come, or its file was ready */
};

/* Returns how long a span with an arrow had been runnable when it began. */
static inline int64_t span_waited(const struct span *span)
{
	return span->begin - span->since + span->late;
}

/* A span that began before its lane's events, and how many spans the lane had when it ended. */
struct early {
	struct span span;
	size_t nr;
};

struct lane {
	enum lane_kind kind;
	uint64_t id;		/* the worker's index, the thread's number, the fiber's address */
	uint32_t name;		/* the name of a fiber's function, otherwise NOWHERE */
	struct span *span;	/* in the order of their begins */
	size_t nr;
	size_t *open;		/* spans that have not ended, the innermost last */
	size_t nr_open;
	struct early *early;	/* until the stretch is over: early_place() */
	size_t nr_early;
	/* a stretch: the time from one pause of the trace to the next */
	size_t stretch;		/* the first span of this stretch */
	int64_t begun;		/* not after the first event of this stretch */
	unsigned depth;		/* how many are open at once, at most */
	int64_t first, last;	/* of the first event, and of the last one that was read */
	uint64_t lost;		/* older events that were overwritten */
	int64_t known;		/* since when the lane's own record is whole; 0: always */
	bool holes;		/* events may be missing between any two of this lane */
	uint64_t stolen;	/* the task that was stolen last, and is run next; or 0 */
	uint32_t victim;	/* the lane from which it came */
	/* index + 1 of a wake-up that the worker has not noticed yet; 0 if there is none */
	uint64_t woken_by;
	bool schedules;		/* its last event was a schedule */
	int64_t late;		/* how late the timer was, if that was its last event; or 0 */
	bool looks;		/* a worker that has gone on, and looks for work */
};

struct event {
	int64_t ns;
	uint32_t lane;
	struct nap_trace_event at;
};

/* A count that changes with time. */
struct point {
	int64_t ns;
	uint32_t queued;	/* tasks that were scheduled and have not begun */
	uint32_t parked;	/* workers that sleep */
};

/* A time in which work was queued and a worker slept. */
struct gap {
	int64_t begin, end;
	uint32_t lane;		/* a worker that slept */
	/* the function of the task that had waited longest when the gap began */
	uint32_t name;
	uint32_t queued;	/* how many tasks were queued, at most */
	/* not over when a pool was stopped, after which no task is begun */
	bool stopped;
};

enum missing { MISSING_NOTHING, MISSING_OVERWRITTEN, MISSING_DROPPED, MISSING_CUT };

/* A time in which the pool was not traced, and nothing is known. */
struct pause {
	int64_t begin, end;
};

/* The time in which the record of every track is whole. */
struct whole {
	int64_t from, until;
	int64_t go_on;		/* as @from, but not before the end of the last pause */
	/* as @go_on, but not before it is known which workers are being woken */
	int64_t judged;
	enum missing missing;
	unsigned track;		/* the file's track that becomes whole last, if @missing is set */
};

struct trace {
	struct raw *raw;
	struct whole whole;
	struct names names;
	struct event *event;	/* in the order of time */
	size_t nr_events;
	struct lane *lane;
	size_t nr_lanes;
	struct point *point;
	size_t nr_points;
	struct gap *gap;	/* in the order of time */
	size_t nr_gaps;
	struct pause *pause;	/* in the order of time */
	size_t nr_pauses;
	int64_t end;
};

/*
 * Whether two events of different tracks, at these times, can be believed to belong together:
 * whether no event of any track is missing in between. A missing event might be the real partner of
 * one of them. (Two events of one lane belong together unless lane.holes is set, because a track
 * lacks its oldest events, and no others.)
 */
bool is_whole(const struct trace *trace, int64_t since, int64_t now);

/* Returns how much of the time from @begin to @end is in pauses. */
int64_t paused_between(const struct trace *trace, int64_t begin, int64_t end);

/* Reads all tracks of @raw. @raw stays the caller's, and must outlive @trace. */
void trace_build(struct trace *trace, struct raw *raw);
void trace_free(struct trace *trace);

/*
 * Returns the gaps of @least ns or more, the longest first, without the gap at the pool's stop.
 * *@nr is their number. The caller frees them.
 */
struct gap *gaps_longest(const struct trace *trace, int64_t least, size_t *nr);

/* Returns the gap that was not over when the pool was stopped; NULL if there is none. */
const struct gap *gap_at_stop(const struct trace *trace);

/* Returns "pool NAME"; @text has POOL_NAME bytes. */
#define POOL_NAME 96
const char *pool_name(const struct trace *trace, char *text);

/*
 * Returns "worker 3", "thread 4711", "fiber parse 0x7f..." or the like; @text has LANE_NAME
 * bytes.
 */
#define LANE_NAME 72
const char *lane_name(const struct trace *trace, const struct lane *lane, char *text);

/* Returns what a span is called: its function, or what is waited for. @text has SPAN_NAME bytes. */
#define SPAN_NAME 64
const char *span_name(const struct trace *trace, const struct span *span, char *text);

/* Returns "?" for NOWHERE. */
const char *function_name(const struct trace *trace, uint32_t name);

/* Returns "a mutex", "a channel" or the like; "something" if the library did not say what. */
const char *wait_name(unsigned wait);
const char *span_kind_name(unsigned kind);

#endif /* TRACE_LANES_H */
