/* SPDX-License-Identifier: MIT */
/*
 * Finds where work was queued while a worker slept and no worker was being woken: this violates
 * work conservation. Between the schedule and the wake-up that it causes lies less than a
 * microsecond, and such gaps are in the list, too; the report leaves out the short ones. A woken
 * worker looks for work, and wakes the next worker itself if it finds more. So a woken worker
 * counts as being woken until it has begun something or sleeps again.
 */
#include <stdlib.h>

#include "file/memory.h"
#include "lanes/build.h"

static void open_gap(struct build *build, int64_t now)
{
	const struct scheduled *oldest = pending_oldest(&build->pending);
	struct trace *trace = build->trace;

	build->gap = (struct gap){ .begin = now, .lane = NOWHERE, .name = oldest->name };
	for (size_t i = 0; i < trace->nr_lanes; i++) {
		struct lane *lane = &trace->lane[i];
		const struct span *span = span_inside(lane);

		if (lane->kind == LANE_WORKER && span && span->kind == SPAN_PARKED)
			build->gap.lane = (uint32_t)i;
	}
}

static void close_gap(struct build *build, int64_t now)
{
	struct trace *trace = build->trace;

	build->gap.end = now;
	trace->gap = grow(trace->gap, trace->nr_gaps, sizeof(*trace->gap));
	trace->gap[trace->nr_gaps++] = build->gap;
	build->gap = (struct gap){ .lane = NOWHERE };
}

void gaps_look(struct build *build, int64_t now)
{
	struct trace *trace = build->trace;
	bool is_gap = build->pending.free && build->parked && !build->waking &&
		      !build->looking && !build->is_stopped &&
		      now >= trace->whole.judged && now <= trace->whole.until;

	if (!is_whole(trace, now, now))
		return;
	trace->point = grow(trace->point, trace->nr_points, sizeof(*trace->point));
	trace->point[trace->nr_points++] =
		(struct point){ now, (uint32_t)build->pending.nr, build->parked };
	if (is_gap && build->gap.lane == NOWHERE)
		open_gap(build, now);
	else if (!is_gap && build->gap.lane != NOWHERE)
		close_gap(build, now);
	if (build->gap.lane != NOWHERE && build->gap.queued < build->pending.free)
		build->gap.queued = build->pending.free;
}

/*
 * A thread that schedules a task wakes a worker in the same call. If the thread is preempted in
 * between, this is no gap.
 */
void gaps_wake(struct build *build, const struct lane *thread)
{
	if (thread->schedules && build->gap.lane != NOWHERE && build->gap.begin >= thread->last)
		build->gap = (struct gap){ .lane = NOWHERE };
}

/*
 * The trace has no event for the shutdown. The first sign of it is that a worker goes on, and the
 * worker's thread needs some time for this. So a gap that is open now was shorter than it seems,
 * and is marked.
 */
void gaps_stop(struct build *build, int64_t now)
{
	build->is_stopped = true;
	if (build->gap.lane == NOWHERE)
		return;
	build->gap.stopped = true;
	close_gap(build, now);
}

/*
 * A thread may have written an event after the pause began, so the last point may be later than
 * @now.
 */
void gaps_pause(struct build *build, int64_t now)
{
	const struct trace *trace = build->trace;
	int64_t last = trace->nr_points ? trace->point[trace->nr_points - 1].ns : now;

	gaps_look(build, now < last ? last : now);
}

void gaps_end(struct build *build, int64_t end)
{
	if (build->gap.lane != NOWHERE)
		close_gap(build, end);
}

static int by_length(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;

	return x->end - x->begin > y->end - y->begin ? -1 : x->end - x->begin < y->end - y->begin;
}

const struct gap *gap_at_stop(const struct trace *trace)
{
	for (size_t i = 0; i < trace->nr_gaps; i++)
		if (trace->gap[i].stopped)
			return &trace->gap[i];
	return NULL;
}

struct gap *gaps_longest(const struct trace *trace, int64_t least, size_t *nr)
{
	struct gap *gap = resize(NULL, trace->nr_gaps, sizeof(*gap));

	*nr = 0;
	for (size_t i = 0; i < trace->nr_gaps; i++)
		if (trace->gap[i].end - trace->gap[i].begin >= least && !trace->gap[i].stopped)
			gap[(*nr)++] = trace->gap[i];
	qsort(gap, *nr, sizeof(*gap), by_length);
	return gap;
}
