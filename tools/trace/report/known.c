/* SPDX-License-Identifier: MIT */
/*
 * Says which part of the trace a figure covers, if events are missing, and how to get more events.
 */
#include <nap/trace.h>

#include "file/raw.h"
#include "report/parts.h"

bool has_lost(const struct trace *trace)
{
	return raw_totals(trace->raw).lost;
}

static void print_cause(const struct trace *trace, int64_t from, char *text, size_t size)
{
	const struct track *track = &trace->raw->tracks[trace->whole.track];
	char whose[32] = "threads from outside";

	if (trace->whole.missing == MISSING_CUT) {
		snprintf(text, size, "the file is cut");
		return;
	}
	if (from > trace->whole.from && trace->whole.go_on > trace->whole.from) {
		snprintf(text, size, "the trace was paused");
		return;
	}
	if (!track->outside)
		snprintf(whose, sizeof(whose), "worker %u", track->index);
	snprintf(text, size, trace->whole.missing == MISSING_DROPPED ?
		 "events of %s were not written" : "older events of %s were overwritten", whose);
}

const char *missing_text(const struct trace *trace, int64_t from, char *text)
{
	int64_t until = trace->whole.until < trace->end ? trace->whole.until : trace->end;
	char known[TIME_TEXT], all[TIME_TEXT], cause[64];

	*text = 0;
	if (from == INT64_MIN)
		return text;
	print_cause(trace, from, cause, sizeof(cause));
	if (from >= until)
		snprintf(text, MISSING_TEXT, "at no time, because %s", cause);
	else
		snprintf(text, MISSING_TEXT, "in the last %s of %s, because %s",
			 time_text(until - from, known), time_text(trace->end, all), cause);
	return text;
}

const char *more_text(const struct trace *trace, char *text)
{
	uint64_t most = 0, events = 64;

	*text = 0;
	for (unsigned i = 0; i < trace->raw->nr_tracks; i++)
		if (most < trace->raw->tracks[i].head.written)
			most = trace->raw->tracks[i].head.written;
	/* If the ring was written while it was copied, the copy lacks one event more. */
	while (events <= most && events < NAP_TRACE_EVENTS_MAX)
		events *= 2;
	if (has_lost(trace))
		snprintf(text, MISSING_TEXT,
			 "; NAP_TRACE_EVENTS=%llu, or nap_trace_options.events, keeps %s",
			 (unsigned long long)events, events > most ? "all" : "more");
	return text;
}
