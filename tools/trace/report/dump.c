/* SPDX-License-Identifier: MIT */
#include "report/report.h"

const char *event_name(unsigned kind)
{
	static const char *const names[NAP_TRACE_KINDS] = {
		[NAP_TRACE_SCHEDULE] = "schedule", [NAP_TRACE_BEGIN] = "begin",
		[NAP_TRACE_END] = "end", [NAP_TRACE_JOB_BEGIN] = "job begin",
		[NAP_TRACE_JOB_END] = "job end", [NAP_TRACE_START] = "start",
		[NAP_TRACE_RETIRE] = "retire", [NAP_TRACE_PARK] = "park",
		[NAP_TRACE_UNPARK] = "unpark", [NAP_TRACE_WAKE] = "wake",
		[NAP_TRACE_STEAL] = "steal", [NAP_TRACE_OVERFLOW] = "overflow",
		[NAP_TRACE_FORK_PUBLISH] = "publish", [NAP_TRACE_JOIN_BEGIN] = "join begin",
		[NAP_TRACE_JOIN_END] = "join end", [NAP_TRACE_RANGE] = "range",
		[NAP_TRACE_WAIT_BEGIN] = "wait begin", [NAP_TRACE_WAIT_END] = "wait end",
		[NAP_TRACE_PUSH] = "push", [NAP_TRACE_POP] = "pop", [NAP_TRACE_CANCEL] = "cancel",
		[NAP_TRACE_CLASS_TAKE] = "class take", [NAP_TRACE_CLASS_GIVE] = "class give",
		[NAP_TRACE_BLOCK_BEGIN] = "block begin", [NAP_TRACE_BLOCK_END] = "block end",
		[NAP_TRACE_FIBER_SPAWN] = "fiber spawn", [NAP_TRACE_FIBER_RESUME] = "fiber resume",
		[NAP_TRACE_FIBER_SUSPEND] = "fiber suspend", [NAP_TRACE_FIBER_END] = "fiber end",
		[NAP_TRACE_SEND] = "send", [NAP_TRACE_RECEIVE] = "receive",
		[NAP_TRACE_TIMER] = "timer", [NAP_TRACE_FILE] = "file",
	};

	return kind < NAP_TRACE_KINDS && names[kind] ? names[kind] : NULL;
}

bool event_has_function(unsigned kind)
{
	switch (kind) {
	case NAP_TRACE_SCHEDULE:
	case NAP_TRACE_BEGIN:
	case NAP_TRACE_END:
	case NAP_TRACE_JOB_BEGIN:
	case NAP_TRACE_JOB_END:
	case NAP_TRACE_JOIN_BEGIN:
	case NAP_TRACE_JOIN_END:
	case NAP_TRACE_FIBER_SPAWN:
	case NAP_TRACE_FIBER_RESUME:
	case NAP_TRACE_FIBER_END:
		return true;
	}
	return false;
}

void report_dump(FILE *to, const struct trace *trace)
{
	for (size_t i = 0; i < trace->nr_events; i++) {
		const struct event *event = &trace->event[i];
		const char *name = event_name(event->at.kind);
		char lane[LANE_NAME];

		fprintf(to, "%14.3f us  %-12s ", (double)event->ns / 1000,
			lane_name(trace, &trace->lane[event->lane], lane));
		if (name)
			fprintf(to, "%-14s 0x%llx", name, (unsigned long long)event->at.a);
		else
			fprintf(to, "kind %-9u 0x%llx", event->at.kind,
				(unsigned long long)event->at.a);
		if (event_has_function(event->at.kind))
			fprintf(to, " %s",
				function_name(trace, names_find(&trace->names, event->at.b)));
		else
			fprintf(to, " 0x%llx", (unsigned long long)event->at.b);
		if (event->at.other < NAP_TRACE_NOBODY)
			fprintf(to, " other %u", event->at.other);
		if (event->at.flags)
			fprintf(to, " flags %u", event->at.flags);
		fputc('\n', to);
	}
}
