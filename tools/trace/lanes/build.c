/* SPDX-License-Identifier: MIT */
/* Builds a trace of a file: lanes/lanes.h. */
#include <stdlib.h>

#include "file/raw.h"
#include "lanes/build.h"

/* So little that sums of times do not overflow. */
#define LATE_MOST	(INT64_C(1) << 56)

static void note_last(struct lane *lane, const struct event *event)
{
	uint64_t late = event->at.kind == NAP_TRACE_TIMER ? event->at.b : 0;

	lane->last = event->ns;
	lane->schedules = event->at.kind == NAP_TRACE_SCHEDULE;
	lane->late = late <= LATE_MOST ? (int64_t)late : 0;
}

void trace_build(struct trace *trace, struct raw *raw)
{
	struct build build = { .trace = trace, .gap = { .lane = NOWHERE } };

	*trace = (struct trace){ .raw = raw };
	read_events(&build);
	trace->end = raw_ns(raw, raw->head.end_ticks);
	if (trace->nr_events && trace->end < trace->event[trace->nr_events - 1].ns)
		trace->end = trace->event[trace->nr_events - 1].ns;
	pauses_find(&build);
	whole_find(&build);
	build.is_judged = trace->whole.judged == INT64_MIN;
	for (size_t i = 0; i < trace->nr_events; i++) {
		uint32_t parked, coming;
		size_t queued;

		pauses_pass(&build, trace->event[i].ns);
		parked = build.parked;
		coming = build.waking + build.looking;
		queued = build.pending.nr;
		if (trace->event[i].ns >= trace->whole.judged && !build.is_judged) {
			build.is_judged = true;
			gaps_look(&build, trace->whole.judged);
		}
		take_event(&build, &trace->event[i]);
		note_last(lane_at(&build, &trace->event[i]), &trace->event[i]);
		if (parked != build.parked || coming != build.waking + build.looking ||
		    queued != build.pending.nr)
			gaps_look(&build, trace->event[i].ns);
	}
	pauses_pass(&build, trace->end);
	for (size_t i = 0; i < trace->nr_lanes; i++)
		stretch_end(&trace->lane[i], trace->lane[i].kind == LANE_FIBER &&
			  trace->whole.until < trace->end ? trace->whole.until : trace->end);
	gaps_end(&build, trace->whole.until < trace->end ? trace->whole.until : trace->end);
	pending_free(&build.pending);
	free(build.slots);
}

void trace_free(struct trace *trace)
{
	for (size_t i = 0; i < trace->nr_lanes; i++) {
		free(trace->lane[i].span);
		free(trace->lane[i].open);
		free(trace->lane[i].early);
	}
	free(trace->lane);
	free(trace->event);
	free(trace->point);
	free(trace->gap);
	free(trace->pause);
	names_free(&trace->names);
}
