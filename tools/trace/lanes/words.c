/* SPDX-License-Identifier: MIT */
/* Names of lanes, spans and waits. */
#include <stdio.h>

#include "file/raw.h"
#include "lanes/lanes.h"

const char *wait_name(unsigned wait)
{
	static const char *const names[] = {
		[NAP_TRACE_ON_UNKNOWN] = "something",
		[NAP_TRACE_ON_YIELD] = "its next turn",
		[NAP_TRACE_ON_TIME] = "a time",
		[NAP_TRACE_ON_GROUP] = "a group",
		[NAP_TRACE_ON_FIBER] = "a fiber",
		[NAP_TRACE_ON_MUTEX] = "a mutex",
		[NAP_TRACE_ON_COND] = "a condition",
		[NAP_TRACE_ON_SEM] = "a semaphore",
		[NAP_TRACE_ON_EVENT] = "an event",
		[NAP_TRACE_ON_CHANNEL] = "a channel",
		[NAP_TRACE_ON_SELECT] = "a select",
		[NAP_TRACE_ON_FILE] = "a file",
		[NAP_TRACE_ON_TIMER] = "a timer's task",
	};

	return wait < sizeof(names) / sizeof(names[0]) ? names[wait] : names[0];
}

const char *span_kind_name(unsigned kind)
{
	static const char *const names[SPAN_KINDS] = {
		[SPAN_TASK] = "task", [SPAN_JOB] = "job", [SPAN_FIBER] = "fiber",
		[SPAN_PARKED] = "parked", [SPAN_JOIN] = "join", [SPAN_GROUP] = "group wait",
		[SPAN_BLOCKED] = "blocking section", [SPAN_WAIT] = "wait",
		[SPAN_LEAF] = "leaf",
	};

	return names[kind];
}

const char *function_name(const struct trace *trace, uint32_t name)
{
	return name == NOWHERE ? "?" : trace->names.name[name].function;
}

const char *pool_name(const struct trace *trace, char *text)
{
	const struct text *name = &trace->raw->name;

	if (!name->length)
		return "pool without a name";
	snprintf(text, POOL_NAME, "pool %.*s", (int)(name->length < 80 ? name->length : 80),
		 name->bytes);
	return text;
}

const char *lane_name(const struct trace *trace, const struct lane *lane, char *text)
{
	unsigned long long id = lane->id;

	if (lane->kind == LANE_WORKER)
		snprintf(text, LANE_NAME, "worker %llu", id);
	else if (lane->kind == LANE_OUTSIDE)
		snprintf(text, LANE_NAME, "thread %llu", id);
	else
		snprintf(text, LANE_NAME, "fiber %.40s 0x%llx", function_name(trace, lane->name),
			 id);
	return text;
}

const char *span_name(const struct trace *trace, const struct span *span, char *text)
{
	switch (span->kind) {
	case SPAN_TASK:
	case SPAN_JOB:
	case SPAN_FIBER:
		snprintf(text, SPAN_NAME, "%s", function_name(trace, span->name));
		break;
	case SPAN_JOIN:
		snprintf(text, SPAN_NAME, "join %s", function_name(trace, span->name));
		break;
	case SPAN_PARKED:
		snprintf(text, SPAN_NAME,
			 span->wait & NAP_TRACE_SPUN	? "spins"
			 : span->wait & NAP_TRACE_POLLS ? "polls"
			 : span->wait & NAP_TRACE_DOZES ? "dozes"
							: "parked");
		break;
	case SPAN_WAIT:
		snprintf(text, SPAN_NAME, "waits for %s", wait_name(span->wait));
		break;
	case SPAN_LEAF:
		snprintf(text, SPAN_NAME, "iterations from %llu, %u",
			 (unsigned long long)span->object, span->nr);
		break;
	default:
		snprintf(text, SPAN_NAME, "%s", span_kind_name(span->kind));
	}
	return text;
}
