/* SPDX-License-Identifier: MIT */
/*
 * Pauses, from a nap_trace_end() to the next nap_trace_begin(). Nothing is known of the time inside
 * a pause, and no event before a pause belongs to an event after it. So the trace is built in
 * stretches, from pause to pause.
 */
#include <stdlib.h>

#include "file/memory.h"
#include "file/raw.h"
#include "lanes/build.h"

/*
 * Leaves out what was written in a pause: late events, which belong to no stretch, and events
 * between two pauses that the library has recorded as one.
 */
static void leave_out(struct trace *trace)
{
	size_t kept = 0, p = 0;

	for (size_t i = 0; i < trace->nr_events; i++) {
		int64_t now = trace->event[i].ns;

		while (p < trace->nr_pauses && trace->pause[p].end <= now &&
		       trace->pause[p].end < trace->end)
			p++;
		if (p == trace->nr_pauses || now <= trace->pause[p].begin)
			trace->event[kept++] = trace->event[i];
	}
	trace->nr_events = kept;
}

/* A file may say anything, so pauses are cut to be in the order of time, and inside the trace. */
void pauses_find(struct build *build)
{
	struct trace *trace = build->trace;
	const struct raw *raw = trace->raw;
	int64_t last = 0;

	trace->pause = resize(NULL, raw->nr_pauses, sizeof(*trace->pause));
	for (unsigned i = 0; i < raw->nr_pauses; i++) {
		const struct nap_trace_pause *at = &raw->pauses[i];
		struct pause pause = { raw_ns(raw, at->ended),
				       at->begun ? raw_ns(raw, at->begun) : trace->end };

		pause.begin = pause.begin < last ? last : pause.begin;
		pause.end = pause.end > trace->end ? trace->end : pause.end;
		if (pause.end <= pause.begin)
			continue;
		last = pause.end;
		trace->pause[trace->nr_pauses++] = pause;
	}
	leave_out(trace);
}

int64_t pauses_last(const struct trace *trace)
{
	size_t nr = trace->nr_pauses;

	/* The trace does not go on after a pause that lasts to its end. */
	nr -= nr && trace->pause[nr - 1].end == trace->end;
	return nr ? trace->pause[nr - 1].end : INT64_MIN;
}

static void lane_pass(struct lane *lane, const struct pause *pause)
{
	stretch_end(lane, pause->begin);
	lane->begun = lane->first > pause->end ? lane->first : pause->end;
	lane->last = lane->begun;
	lane->stolen = 0;
	lane->woken_by = 0;
	lane->schedules = lane->looks = false;
	lane->late = 0;
}

static void pass(struct build *build, const struct pause *pause)
{
	struct trace *trace = build->trace;

	for (size_t i = 0; i < trace->nr_lanes; i++)
		lane_pass(&trace->lane[i], pause);
	pending_free(&build->pending);
	build->pending = (struct pending){ .nr = 0 };
	build->parked = build->waking = build->looking = 0;
	gaps_pause(build, pause->begin);
}

void pauses_pass(struct build *build, int64_t now)
{
	const struct trace *trace = build->trace;

	while (build->pauses < trace->nr_pauses && trace->pause[build->pauses].end <= now)
		pass(build, &trace->pause[build->pauses++]);
}

int64_t paused_between(const struct trace *trace, int64_t begin, int64_t end)
{
	int64_t sum = 0;

	for (size_t i = 0; i < trace->nr_pauses; i++) {
		const struct pause *pause = &trace->pause[i];
		int64_t from = pause->begin > begin ? pause->begin : begin;
		int64_t to = pause->end < end ? pause->end : end;

		sum += to > from ? to - from : 0;
	}
	return sum;
}
