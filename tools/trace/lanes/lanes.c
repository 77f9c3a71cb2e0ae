/* SPDX-License-Identifier: MIT */
/* Makes spans of the events, one event after the other: build.c calls take_event() for each. */
#include "lanes/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "file/memory.h"
#include "file/raw.h"
#include "lanes/build.h"

struct lane *lane_at(struct build *build, const struct event *event)
{
	return &build->trace->lane[event->lane];
}

static void came_from(struct span *span, const struct scheduled *scheduled)
{
	span->from = scheduled->lane;
	span->since = scheduled->ns;
	span->late = scheduled->late;
	span->at_once = scheduled->at_once;
	span->in_order = scheduled->in_order;
}

static void schedule(struct build *build, const struct event *event)
{
	struct scheduled scheduled = {
		.task = event->at.a,
		.ns = event->ns,
		.lane = event->lane,
		.name = names_index(&build->trace->names, event->at.b),
		.free = !(event->at.flags &
			  (NAP_TRACE_CLASSED | NAP_TRACE_IN_ORDER | NAP_TRACE_AT_ONCE)),
		.in_order = event->at.flags & NAP_TRACE_IN_ORDER,
		.at_once = event->at.flags & NAP_TRACE_AT_ONCE,
		.late = event->at.flags & NAP_TRACE_AT_ONCE ? lane_at(build, event)->late : 0,
	};

	if (is_whole(build->trace, event->ns, event->ns))
		pending_add(&build->pending, &scheduled);
}

/*
 * Whether the event is a fiber's first RESUME (flag 1). The task that carries the fiber may have
 * another address.
 */
static bool begins_as_fiber(const struct event *event)
{
	return event->at.kind == NAP_TRACE_FIBER_RESUME && event->at.flags & 1;
}

static void carries(struct build *build, struct span *around)
{
	around->carrier = true;
	build->trace->names.name[around->name].carries = true;
}

struct span *open_named(struct build *build, const struct event *event, enum span_kind kind)
{
	struct lane *lane = lane_at(build, event);
	struct span *span = span_open(lane, kind, event->ns), *around = span_around(lane);
	struct scheduled scheduled;

	span->object = event->at.a;
	span->name = names_index(&build->trace->names, event->at.b);
	if (pending_take(&build->pending, event->at.a, &scheduled)) {
		if (is_whole(build->trace, scheduled.ns, event->ns))
			came_from(span, &scheduled);
	} else if (around && around->kind == SPAN_TASK &&
		   (around->object == event->at.a || begins_as_fiber(event))) {
		span->from = around->from;
		span->since = around->since;
		span->late = around->late;
		span->at_once = around->at_once;
		span->victim = around->victim;
		carries(build, around);
	}
	return span;
}

/* The end names the function, too, because the begin may be older than the trace. */
static void close_named(struct build *build, const struct event *event, enum span_kind kind)
{
	struct span *span = span_close(lane_at(build, event), kind, event->ns);

	if (!span->no_begin)
		return;
	span->object = event->at.a;
	span->name = names_index(&build->trace->names, event->at.b);
}

/* Notes whether a worker looks for work. */
static void looks(struct build *build, struct lane *lane, bool now)
{
	build->looking += now;
	build->looking -= lane->looks;
	lane->looks = now;
}

/* A worker that runs something has taken the wake-up that was on its way, without having slept. */
static void has_taken_wake(struct build *build, struct lane *lane)
{
	looks(build, lane, false);
	build->waking -= lane->woken_by != 0;
	lane->woken_by = 0;
}

static void begin(struct build *build, const struct event *event)
{
	struct span *span = open_named(build, event, SPAN_TASK);
	struct lane *lane = lane_at(build, event);

	has_taken_wake(build, lane);
	span->inner = event->at.flags & NAP_TRACE_INNER;
	/*
	 * The first task of a serial queue, or of an order, runs inside the queue's own task, which
	 * is a carrier.
	 */
	if (span->inner && event->at.flags & NAP_TRACE_IN_ORDER && span_around(lane))
		carries(build, span_around(lane));
	if (!lane->stolen || span->object != lane->stolen)
		return;
	span->victim = lane->victim;
	lane->stolen = 0;
}

static void job_begin(struct build *build, const struct event *event)
{
	uint32_t victim = victim_of(build, event);

	has_taken_wake(build, lane_at(build, event));
	open_named(build, event, SPAN_JOB)->victim = victim == event->lane ? NOWHERE : victim;
}

static void park(struct build *build, const struct event *event)
{
	looks(build, lane_at(build, event), false);
	struct span *span = span_open(lane_at(build, event), SPAN_PARKED, event->ns);

	span->wait = (uint8_t)event->at.flags;
	build->parked += !(event->at.flags & NAP_TRACE_SPUN);
}

/* Bits of UNPARK: why a worker goes on. */
enum { WAIT_OVER = 4, ENDED = 16 };

/* Only a stopped pool leaves queued tasks: a pool that drains runs them before it ends. */
static void stop(struct build *build, int64_t now)
{
	if (!build->is_stopped && build->trace->raw->head.flags & NAP_TRACE_STOPPED)
		gaps_stop(build, now);
}

static void unpark(struct build *build, const struct event *event)
{
	struct lane *lane = lane_at(build, event);
	struct span *span = span_close(lane, SPAN_PARKED, event->ns);
	const struct event *wake;

	if (event->at.a & ENDED)
		stop(build, event->ns);
	looks(build, lane, !(event->at.a & WAIT_OVER));
	span->why = (uint16_t)event->at.a;
	build->parked -= build->parked && !span->no_begin && !(span->wait & NAP_TRACE_SPUN);
	if (!lane->woken_by)
		return;
	wake = &build->trace->event[lane->woken_by - 1];
	if (is_whole(build->trace, wake->ns, event->ns)) {
		span->from = wake->lane;
		span->since = wake->ns;
	}
	build->waking--;
	lane->woken_by = 0;
}

static void wake(struct build *build, const struct event *event)
{
	uint32_t whom = woken_lane(build, event);
	struct lane *lane;

	if (whom == NOWHERE)
		return;
	gaps_wake(build, lane_at(build, event));
	lane = &build->trace->lane[whom];
	build->waking += !lane->woken_by;
	lane->woken_by = (uint64_t)(event - build->trace->event) + 1;
}

static void plain(struct build *build, const struct event *event, enum span_kind kind)
{
	span_open(lane_at(build, event), kind, event->ns)->object = event->at.a;
}

static void retire(struct build *build, const struct event *event)
{
	looks(build, lane_at(build, event), false);
	if (event->at.flags & 1)
		stop(build, event->ns);
}

/* A worker that has finished something no longer counts as woken for work. */
static void ends(struct build *build, const struct event *event)
{
	looks(build, lane_at(build, event), false);
}

void take_event(struct build *build, const struct event *event)
{
	switch (event->at.kind) {
	case NAP_TRACE_SCHEDULE:
		schedule(build, event);
		break;
	case NAP_TRACE_BEGIN:
		begin(build, event);
		break;
	case NAP_TRACE_RETIRE:
		retire(build, event);
		break;
	case NAP_TRACE_END:
		ends(build, event);
		close_named(build, event, SPAN_TASK);
		break;
	case NAP_TRACE_JOB_BEGIN:
		job_begin(build, event);
		break;
	case NAP_TRACE_JOB_END:
		ends(build, event);
		close_named(build, event, SPAN_JOB);
		break;
	case NAP_TRACE_JOIN_BEGIN:
		open_named(build, event, SPAN_JOIN);
		break;
	case NAP_TRACE_JOIN_END:
		ends(build, event);
		close_named(build, event, SPAN_JOIN);
		break;
	case NAP_TRACE_STEAL:
		steal(build, event);
		break;
	case NAP_TRACE_RANGE:
		span_leaf(lane_at(build, event), event);
		break;
	case NAP_TRACE_PARK:
		park(build, event);
		break;
	case NAP_TRACE_UNPARK:
		unpark(build, event);
		break;
	case NAP_TRACE_WAKE:
		wake(build, event);
		break;
	case NAP_TRACE_WAIT_BEGIN:
		plain(build, event, SPAN_GROUP);
		break;
	case NAP_TRACE_WAIT_END:
		ends(build, event);
		span_close(lane_at(build, event), SPAN_GROUP, event->ns);
		break;
	case NAP_TRACE_BLOCK_BEGIN:
		plain(build, event, SPAN_BLOCKED);
		break;
	case NAP_TRACE_BLOCK_END:
		span_close(lane_at(build, event), SPAN_BLOCKED, event->ns);
		break;
	case NAP_TRACE_FIBER_RESUME:
		fiber_goes_on(build, event);
		break;
	case NAP_TRACE_FIBER_SUSPEND:
	case NAP_TRACE_FIBER_END:
		fiber_stops(build, event);
		break;
	}
}
