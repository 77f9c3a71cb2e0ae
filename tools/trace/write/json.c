/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "file/raw.h"
#include "write/write.h"

/*
 * The process has the workers and the threads from outside. Fibers are shown as threads of a second
 * process.
 */
enum { FIBERS_PID = 0 };

struct json {
	FILE *to;
	const struct trace *trace;
	uint32_t lane;
	uint64_t arrows;
	bool any;
};

static uint64_t pid_of(const struct trace *trace, uint32_t lane)
{
	return trace->lane[lane].kind == LANE_FIBER ? FIBERS_PID : trace->raw->head.pid;
}

/* Writes the beginning of an event, up to its time. */
static void begin(struct json *json, const char *phase, uint32_t lane, int64_t ns)
{
	fprintf(json->to, "%s{\"ph\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%u,\"ts\":%.3f",
		json->any ? ",\n" : "", phase, pid_of(json->trace, lane), lane, (double)ns / 1000);
	json->any = true;
}

static void named(struct json *json, const char *what, uint64_t pid, uint32_t tid, const char *name)
{
	fprintf(json->to,
		"%s{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%" PRIu64
		",\"tid\":%u,\"args\":{\"name\":",
		json->any ? ",\n" : "", what, pid, tid);
	json->any = true;
	write_quoted(json->to, name, strlen(name));
	fprintf(json->to, "}}");
}

static void arrow(struct json *json, const struct span *span)
{
	const char *name = span->kind == SPAN_PARKED ? "wake" : "schedule";

	begin(json, "s", span->from, span->since);
	fprintf(json->to, ",\"cat\":\"%s\",\"name\":\"%s\",\"id\":%" PRIu64 "}", name, name,
		json->arrows);
	/* The arrow of a wake-up leads to the end of a sleep. */
	begin(json, "f", json->lane, span->kind == SPAN_PARKED ? span->end : span->begin);
	fprintf(json->to, ",\"bp\":\"e\",\"cat\":\"%s\",\"name\":\"%s\",\"id\":%" PRIu64 "}", name,
		name, json->arrows++);
}

static void write_span(struct json *json, const struct span *span)
{
	char text[SPAN_NAME], lane[LANE_NAME];
	const char *name = span_name(json->trace, span, text);

	begin(json, "X", json->lane, span->begin);
	fprintf(json->to,
		",\"dur\":%.3f,\"cat\":\"%s\",\"name\":", (double)(span->end - span->begin) / 1000,
		span_kind_name(span->kind));
	write_quoted(json->to, name, strlen(name));
	fprintf(json->to, ",\"args\":{\"object\":\"0x%" PRIx64 "\"%s%s", span->object,
		span->no_begin ? ",\"begin\":\"not in the trace\"" : "",
		span->no_end ? ",\"end\":\"not in the trace\"" : "");
	if (span->late)
		fprintf(json->to, ",\"late\":\"%.3f us\"", (double)span->late / 1000);
	if (span->victim != NOWHERE) {
		fprintf(json->to, ",\"stolen from\":");
		lane_name(json->trace, &json->trace->lane[span->victim], lane);
		write_quoted(json->to, lane, strlen(lane));
	}
	fprintf(json->to, "}}");
	if (span->from != NOWHERE)
		arrow(json, span);
}

static void write_names(struct json *json)
{
	const struct trace *trace = json->trace;
	char text[LANE_NAME], name[POOL_NAME];

	named(json, "process_name", trace->raw->head.pid, 0, pool_name(trace, name));
	named(json, "process_name", FIBERS_PID, 0, "fibers");
	for (uint32_t i = 0; i < trace->nr_lanes; i++)
		named(json, "thread_name", pid_of(trace, i), i,
		      lane_name(trace, &trace->lane[i], text));
}

/* Pauses of the trace are spans on a lane of their own, which comes after the other lanes. */
static void write_pauses(struct json *json)
{
	const struct trace *trace = json->trace;
	uint32_t lane = (uint32_t)trace->nr_lanes;

	if (trace->nr_pauses)
		named(json, "thread_name", trace->raw->head.pid, lane, "the trace");
	for (size_t i = 0; i < trace->nr_pauses; i++)
		fprintf(json->to,
			",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,"
			"\"cat\":\"pause\",\"name\":\"not traced\",\"args\":{}}",
			trace->raw->head.pid, lane, (double)trace->pause[i].begin / 1000,
			(double)(trace->pause[i].end - trace->pause[i].begin) / 1000);
}

void write_json(FILE *to, const struct trace *trace)
{
	struct json json = { .to = to, .trace = trace };

	fprintf(to, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
	write_names(&json);
	write_pauses(&json);
	for (json.lane = 0; json.lane < trace->nr_lanes; json.lane++)
		for (size_t s = 0; s < trace->lane[json.lane].nr; s++)
			write_span(&json, &trace->lane[json.lane].span[s]);
	for (size_t i = 0; i < trace->nr_points; i++) {
		begin(&json, "C", 0, trace->point[i].ns);
		fprintf(to, ",\"name\":\"pool\",\"args\":{\"queued\":%u,\"parked\":%u}}",
			trace->point[i].queued, trace->point[i].parked);
	}
	fprintf(to, "\n]}\n");
}
