/* SPDX-License-Identifier: MIT */
/*
 * Perfetto's trace: packets that describe tracks, and packets of events on these. The numbers of
 * the fields are those of perfetto/trace/trace_packet.proto and its imports; perfetto.proto beside
 * this file has the few that are used, for `protoc --decode=nap.Trace`.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "file/raw.h"
#include "write/proto.h"
#include "write/write.h"

enum { TRACE_PACKET = 1 };
enum {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK = 60
};
enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6, THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum {
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48
};
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum { INTERNED_NAME = 2, NAME_IID = 1, NAME_TEXT = 2 };
enum { CLEARED = 1, NEEDS_STATE = 2 };

/* Numbers of tracks; the numbers of lanes follow these. */
enum { OF_PROCESS = 1, OF_FIBERS, OF_QUEUED, OF_PARKED, OF_PAUSES, OF_LANES = 16 };

struct perfetto {
	FILE *to;
	const struct trace *trace;
	struct message trace_message, packet, inner, leaf;
	uint32_t lane;
	uint64_t arrows;
};

static void end_packet(struct perfetto *perfetto)
{
	proto_nested(&perfetto->trace_message, TRACE_PACKET, &perfetto->packet);
	fwrite(perfetto->trace_message.bytes, 1, perfetto->trace_message.nr, perfetto->to);
	perfetto->trace_message.nr = 0;
}

static void end_track(struct perfetto *perfetto)
{
	proto_nested(&perfetto->packet, PACKET_TRACK, &perfetto->inner);
	end_packet(perfetto);
}

static void begin_track(struct perfetto *perfetto, uint64_t track, uint64_t parent,
			const char *name)
{
	proto_number(&perfetto->inner, TRACK_UUID, track);
	proto_text(&perfetto->inner, TRACK_NAME, name);
	if (parent)
		proto_number(&perfetto->inner, TRACK_PARENT, parent);
}

static void write_process(struct perfetto *perfetto)
{
	char text[POOL_NAME];
	const char *name = pool_name(perfetto->trace, text);

	begin_track(perfetto, OF_PROCESS, 0, name);
	proto_number(&perfetto->leaf, PROCESS_PID, perfetto->trace->raw->head.pid);
	proto_text(&perfetto->leaf, PROCESS_NAME, name);
	proto_nested(&perfetto->inner, TRACK_PROCESS, &perfetto->leaf);
	end_track(perfetto);
	begin_track(perfetto, OF_FIBERS, OF_PROCESS, "fibers");
	end_track(perfetto);
	begin_track(perfetto, OF_QUEUED, OF_PROCESS, "queued tasks");
	proto_nested(&perfetto->inner, TRACK_COUNTER, &perfetto->leaf);
	end_track(perfetto);
	begin_track(perfetto, OF_PARKED, OF_PROCESS, "parked workers");
	proto_nested(&perfetto->inner, TRACK_COUNTER, &perfetto->leaf);
	end_track(perfetto);
}

static void write_lanes(struct perfetto *perfetto)
{
	const struct trace *trace = perfetto->trace;
	char name[LANE_NAME];

	for (uint32_t i = 0; i < trace->nr_lanes; i++) {
		bool fiber = trace->lane[i].kind == LANE_FIBER;

		begin_track(perfetto, OF_LANES + i, fiber ? OF_FIBERS : OF_PROCESS,
			    lane_name(trace, &trace->lane[i], name));
		if (!fiber) {
			proto_number(&perfetto->leaf, THREAD_PID, trace->raw->head.pid);
			proto_number(&perfetto->leaf, THREAD_TID, i + 1);
			proto_text(&perfetto->leaf, THREAD_NAME, name);
			proto_nested(&perfetto->inner, TRACK_THREAD, &perfetto->leaf);
		}
		end_track(perfetto);
	}
}

/* The names of functions, which events refer to by index + 1. */
static void write_names(struct perfetto *perfetto)
{
	const struct names *names = &perfetto->trace->names;

	for (size_t i = 0; i < names->nr; i++) {
		proto_number(&perfetto->leaf, NAME_IID, i + 1);
		proto_text(&perfetto->leaf, NAME_TEXT, names->name[i].function);
		proto_nested(&perfetto->inner, INTERNED_NAME, &perfetto->leaf);
	}
	proto_number(&perfetto->packet, PACKET_SEQUENCE, 1);
	proto_number(&perfetto->packet, PACKET_FLAGS, CLEARED);
	proto_nested(&perfetto->packet, PACKET_INTERNED, &perfetto->inner);
	end_packet(perfetto);
}

static void begin_event(struct perfetto *perfetto, unsigned type, uint64_t track)
{
	proto_number(&perfetto->inner, EVENT_TYPE, type);
	proto_number(&perfetto->inner, EVENT_TRACK, track);
}

/* An event before the trace's begin gets the time of the begin. */
static void end_event(struct perfetto *perfetto, int64_t ns)
{
	proto_number(&perfetto->packet, PACKET_TIMESTAMP, ns > 0 ? (uint64_t)ns : 0);
	proto_number(&perfetto->packet, PACKET_SEQUENCE, 1);
	proto_number(&perfetto->packet, PACKET_FLAGS, NEEDS_STATE);
	proto_nested(&perfetto->packet, PACKET_EVENT, &perfetto->inner);
	end_packet(perfetto);
}

static void instant(struct perfetto *perfetto, uint32_t lane, int64_t ns, const char *name,
		    unsigned flow)
{
	begin_event(perfetto, INSTANT, OF_LANES + lane);
	proto_text(&perfetto->inner, EVENT_NAME, name);
	proto_fixed64(&perfetto->inner, flow, perfetto->arrows);
	end_event(perfetto, ns);
}

/* Writes the begin of the arrow to @span, where the span's task was made runnable. */
static void begin_arrow(struct perfetto *perfetto, const struct span *span)
{
	char late[48];

	snprintf(late, sizeof(late), "due, %.3f us late", (double)span->late / 1000);
	instant(perfetto, span->from, span->since,
		span->late ? late : span->at_once ? "ready" : "schedule", EVENT_FLOW);
}

static void begin_span(struct perfetto *perfetto, const struct span *span)
{
	bool is_function = span->name != NOWHERE && span->kind <= SPAN_FIBER;
	char name[SPAN_NAME];

	if (span->from != NOWHERE && span->kind != SPAN_PARKED)
		begin_arrow(perfetto, span);
	begin_event(perfetto, SLICE_BEGIN, OF_LANES + perfetto->lane);
	if (is_function)
		proto_number(&perfetto->inner, EVENT_NAME_IID, span->name + 1);
	else
		proto_text(&perfetto->inner, EVENT_NAME, span_name(perfetto->trace, span, name));
	if (span->from != NOWHERE && span->kind != SPAN_PARKED)
		proto_fixed64(&perfetto->inner, EVENT_FLOW_END, perfetto->arrows++);
	end_event(perfetto, span->begin);
}

static void edge(void *arg, const struct span *span, bool begins)
{
	struct perfetto *perfetto = arg;

	if (begins) {
		begin_span(perfetto, span);
		return;
	}
	begin_event(perfetto, SLICE_END, OF_LANES + perfetto->lane);
	end_event(perfetto, span->end);
	if (span->from == NOWHERE || span->kind != SPAN_PARKED)
		return;
	instant(perfetto, span->from, span->since, "wake", EVENT_FLOW);
	instant(perfetto, perfetto->lane, span->end, "woken", EVENT_FLOW_END);
	perfetto->arrows++;
}

static void write_count(struct perfetto *perfetto, uint64_t track, int64_t ns, uint32_t count)
{
	begin_event(perfetto, COUNTER, track);
	proto_number(&perfetto->inner, EVENT_COUNTER, count);
	end_event(perfetto, ns);
}

/* Pauses of the trace are slices of a track of their own. */
static void write_pauses(struct perfetto *perfetto)
{
	const struct trace *trace = perfetto->trace;

	if (!trace->nr_pauses)
		return;
	begin_track(perfetto, OF_PAUSES, OF_PROCESS, "the trace");
	end_track(perfetto);
	for (size_t i = 0; i < trace->nr_pauses; i++) {
		begin_event(perfetto, SLICE_BEGIN, OF_PAUSES);
		proto_text(&perfetto->inner, EVENT_NAME, "not traced");
		end_event(perfetto, trace->pause[i].begin);
		begin_event(perfetto, SLICE_END, OF_PAUSES);
		end_event(perfetto, trace->pause[i].end);
	}
}

void write_perfetto(FILE *to, const struct trace *trace)
{
	struct perfetto perfetto = { .to = to, .trace = trace, .arrows = 1 };

	write_process(&perfetto);
	write_lanes(&perfetto);
	write_names(&perfetto);
	write_pauses(&perfetto);
	for (perfetto.lane = 0; perfetto.lane < trace->nr_lanes; perfetto.lane++)
		walk(&trace->lane[perfetto.lane], edge, &perfetto);
	for (size_t i = 0; i < trace->nr_points; i++) {
		write_count(&perfetto, OF_QUEUED, trace->point[i].ns, trace->point[i].queued);
		write_count(&perfetto, OF_PARKED, trace->point[i].ns, trace->point[i].parked);
	}
	free(perfetto.trace_message.bytes);
	free(perfetto.packet.bytes);
	free(perfetto.inner.bytes);
	free(perfetto.leaf.bytes);
}
