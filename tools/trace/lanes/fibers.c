/* SPDX-License-Identifier: MIT */
/* Spans of fibers: each has a lane of its own, and stands on the lanes of its workers, too. */
#include "lanes/build.h"

static struct lane *fiber_lane(struct build *build, const struct event *event)
{
	uint32_t lane = lane_of(build, LANE_FIBER, event->at.a, event->ns);

	return &build->trace->lane[lane];
}

/*
 * Ends the span of the fiber's wait. If events may be missing, its end is unknown: is_whole().
 */
static void end_wait(const struct build *build, struct lane *lane, int64_t now)
{
	const struct span *wait = span_inside(lane);

	if (!wait)
		return;
	if (is_whole(build->trace, wait->begin, now))
		span_close(lane, SPAN_WAIT, now);
	else
		spans_end(lane, build->trace->whole.until < now ? build->trace->whole.until : now);
}

void fiber_goes_on(struct build *build, const struct event *event)
{
	const struct span *span = open_named(build, event, SPAN_FIBER);
	struct lane *lane = fiber_lane(build, event);
	struct span *own;

	end_wait(build, lane, event->ns);
	own = span_open(lane, SPAN_FIBER, event->ns);
	own->object = span->object;
	own->name = lane->name = span->name;
	own->from = span->from;
	own->since = span->since;
	own->late = span->late;
	own->at_once = span->at_once;
}

void fiber_stops(struct build *build, const struct event *event)
{
	struct lane *lane = fiber_lane(build, event);
	struct span *span = span_inside(lane);
	uint32_t name;

	if (span && span->kind == SPAN_FIBER) {
		span_close(lane, SPAN_FIBER, event->ns);
	} else {
		end_wait(build, lane, event->ns);
		span = span_missed(lane, SPAN_FIBER, lane_at(build, event)->first, event->ns);
	}
	name = span->name;
	span_close(lane_at(build, event), SPAN_FIBER, event->ns);
	/* If some track lacks events of this time, nobody knows which event ends the wait. */
	if (event->at.kind == NAP_TRACE_FIBER_END || !is_whole(build->trace, event->ns, event->ns))
		return;
	span = span_open(lane, SPAN_WAIT, event->ns);
	span->object = event->at.b;
	span->wait = (uint8_t)event->at.flags;
	span->name = name;
}
