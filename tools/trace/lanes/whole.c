/* SPDX-License-Identifier: MIT */
/*
 * Finds out in which time the record is whole: of a full ring the oldest events are overwritten,
 * and each track begins at another time. A missing event may be the real partner of a kept one. For
 * example, the begin that belongs to a kept schedule was overwritten; then a later begin of the
 * same task, whose own schedule was overwritten, looks like the partner. So a pair is believed only
 * if no track lacks an event between the two: is_whole() is the only place that says so.
 */
#include <stdlib.h>

#include "file/memory.h"
#include "file/raw.h"
#include "lanes/build.h"

/* The number of events among which two events of one thread are sought. */
enum { FIRST_EVENTS = 1024 };

/*
 * Returns the time since which no event of threads from outside is missing; INT64_MAX: not known.
 * Such threads read the clock, and then take a place in their ring. So the time of an
 * overwritten event may be later than the time of the first kept event. But suppose that one thread
 * has two kept events. The time of the second is later than the moment at which the first took its
 * place, and all overwritten events had taken their places by then.
 */
static int64_t outside_known(const struct raw *raw, const struct track *track)
{
	uint32_t threads[FIRST_EVENTS];
	struct nap_trace_event event;

	for (uint64_t i = 0; i < track->head.kept && i < FIRST_EVENTS; i++) {
		threads[i] = raw_event(raw, track, i, &event);
		for (uint64_t before = 0; before < i; before++)
			if (threads[before] == threads[i])
				return raw_ns(raw, event.time);
	}
	return INT64_MAX;
}

/* Returns the time since which no event of @track is missing. */
static int64_t track_known(const struct raw *raw, const struct track *track)
{
	struct nap_trace_event event;

	if (raw_has_holes(raw, track))
		return INT64_MAX;
	if (!track->head.lost)
		return INT64_MIN;
	if (track->outside)
		return outside_known(raw, track);
	if (!track->head.kept)
		return INT64_MAX;
	raw_event(raw, track, 0, &event);
	return raw_ns(raw, event.time);
}

static void find_from(struct trace *trace)
{
	const struct raw *raw = trace->raw;
	struct whole *whole = &trace->whole;
	bool has_outside = false;

	for (unsigned i = 0; i < raw->nr_tracks; i++) {
		const struct track *track = &raw->tracks[i];
		int64_t known = track_known(raw, track);

		has_outside |= track->outside;
		if (known <= whole->from)
			continue;
		whole->from = known;
		whole->track = i;
		whole->missing = raw_has_holes(raw, track) ? MISSING_DROPPED : MISSING_OVERWRITTEN;
	}
	/* The track of threads from outside is the last one of a file. */
	if (raw->cut && !has_outside) {
		whole->from = INT64_MAX;
		whole->missing = MISSING_CUT;
	}
}

uint32_t woken_lane(struct build *build, const struct event *event)
{
	uint32_t whom;

	if (event->at.kind != NAP_TRACE_WAKE || event->at.other == NAP_TRACE_NOBODY)
		return NOWHERE;
	whom = lane_of(build, LANE_WORKER, event->at.other, event->ns);
	/* The end of this sleep may have been overwritten. */
	if (build->trace->lane[whom].lost && event->ns < build->trace->lane[whom].first)
		return NOWHERE;
	return whom;
}

struct sleeper {
	bool asleep, woken;
	bool inside;		/* of a task or a job */
	bool known;		/* whether it looks for work */
	bool clear;		/* a wake-up that is missing will not come */
};

static bool is_begin(const struct event *event)
{
	return event->at.kind == NAP_TRACE_BEGIN || event->at.kind == NAP_TRACE_JOB_BEGIN;
}

static bool is_end(const struct event *event)
{
	return event->at.kind == NAP_TRACE_END || event->at.kind == NAP_TRACE_JOB_END;
}

/*
 * A worker has one wake-up at a time. The trace may lack a wake-up from before whole.go_on, which
 * the worker takes later. So if the worker goes on for work, or runs something, and the trace has
 * no wake-up for this, the worker may have been under the missing wake-up until now.
 */
static void take_wake(struct whole *whole, struct sleeper *sleeper, int64_t now, bool for_work)
{
	sleeper->known = true;
	if (!sleeper->clear && now >= whole->go_on) {
		sleeper->clear = true;
		if (for_work && !sleeper->woken && whole->judged < now)
			whole->judged = now;
	}
	sleeper->woken = false;
}

static void find_wake(struct whole *whole, struct sleeper *sleeper, const struct event *event)
{
	if (event->at.kind == NAP_TRACE_PARK) {
		/* Until now the worker may have looked for work. */
		if (!sleeper->known && event->ns >= whole->go_on && whole->judged < event->ns)
			whole->judged = event->ns;
		sleeper->known = sleeper->asleep = true;
	} else if (event->at.kind == NAP_TRACE_UNPARK) {
		take_wake(whole, sleeper, event->ns, event->at.a & 2);
		sleeper->asleep = false;
	} else if (is_begin(event)) {
		take_wake(whole, sleeper, event->ns, !sleeper->inside);
		sleeper->inside = true;
	} else if (is_end(event)) {
		sleeper->inside = false;
		sleeper->known = true;
	}
}

static void find_judged(struct build *build)
{
	struct trace *trace = build->trace;
	int64_t since = pauses_last(trace);
	struct sleeper *sleepers;

	for (size_t i = 0; i < trace->nr_events; i++)
		woken_lane(build, &trace->event[i]);
	sleepers = resize(NULL, trace->nr_lanes, sizeof(*sleepers));
	for (size_t w = 0; w < trace->nr_lanes; w++)
		sleepers[w] = (struct sleeper){
			.known = !trace->lane[w].lost && since == INT64_MIN };
	for (size_t i = 0; i < trace->nr_events; i++) {
		uint32_t whom = woken_lane(build, &trace->event[i]);

		if (trace->event[i].ns < since)
			continue;
		find_wake(&trace->whole, &sleepers[trace->event[i].lane], &trace->event[i]);
		if (whom != NOWHERE)
			sleepers[whom].woken = true;
	}
	for (size_t w = 0; w < trace->nr_lanes; w++)
		if (sleepers[w].asleep && !sleepers[w].woken && !sleepers[w].clear)
			trace->whole.judged = INT64_MAX;
	free(sleepers);
}

void whole_find(struct build *build)
{
	struct trace *trace = build->trace;
	const struct nap_trace_file *head = &trace->raw->head;

	/* A snapshot of a running pool copies its tracks one after the other, while events come. */
	trace->whole = (struct whole){
		.from = INT64_MIN,
		.until = head->flags & NAP_TRACE_JOINED ? INT64_MAX :
							  raw_ns(trace->raw, head->end_ticks),
	};
	find_from(trace);
	trace->whole.go_on = pauses_last(trace);
	if (trace->whole.go_on < trace->whole.from)
		trace->whole.go_on = trace->whole.from;
	trace->whole.judged = trace->whole.go_on;
	if (trace->whole.judged > INT64_MIN)
		find_judged(build);
}

bool is_whole(const struct trace *trace, int64_t since, int64_t now)
{
	return since >= trace->whole.from && now <= trace->whole.until;
}
