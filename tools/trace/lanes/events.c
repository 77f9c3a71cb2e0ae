/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "file/memory.h"
#include "file/raw.h"
#include "lanes/build.h"

static void read_track(struct build *build, const struct track *track)
{
	struct trace *trace = build->trace;
	struct event *first = &trace->event[trace->nr_events];
	bool holes = raw_has_holes(trace->raw, track);

	for (uint64_t i = 0; i < track->head.kept; i++) {
		struct event *event = &trace->event[trace->nr_events++];
		uint32_t thread = raw_event(trace->raw, track, i, &event->at);

		event->ns = raw_ns(trace->raw, event->at.time);
		event->lane = track->outside ? lane_of(build, LANE_OUTSIDE, thread, event->ns) :
			lane_of(build, LANE_WORKER, track->index, event->ns);
		trace->lane[event->lane].lost = track->head.lost;
		trace->lane[event->lane].holes = track->outside && holes;
		trace->lane[event->lane].known = track->head.lost && first->ns > 0 ? first->ns : 0;
	}
}

/* A merge sort, so two events of one time stay in the file's order. */
static void sort_by_time(struct event *event, struct event *room, size_t nr)
{
	size_t half = nr / 2, a = 0, b = half, to = 0;

	if (nr < 2)
		return;
	sort_by_time(event, room, half);
	sort_by_time(event + half, room, nr - half);
	if (event[half - 1].ns <= event[half].ns)
		return;
	memcpy(room, event, half * sizeof(*event));
	while (a < half && b < nr)
		event[to++] = event[b].ns < room[a].ns ? event[b++] : room[a++];
	memcpy(event + to, room + a, (half - a) * sizeof(*event));
}

void read_events(struct build *build)
{
	struct trace *trace = build->trace;
	struct event *room;
	size_t nr = 0;

	for (unsigned i = 0; i < trace->raw->nr_tracks; i++)
		nr += trace->raw->tracks[i].head.kept;
	trace->event = resize(NULL, nr, sizeof(*trace->event));
	for (unsigned i = 0; i < trace->raw->nr_tracks; i++)
		read_track(build, &trace->raw->tracks[i]);
	room = resize(NULL, nr / 2, sizeof(*room));
	sort_by_time(trace->event, room, nr);
	free(room);
}
