/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "file/memory.h"
#include "report/report.h"

bool function_ran(const struct function *function)
{
	return function->runs.nr || function->cut;
}

/*
 * Whether the span is a task that carries another function. A span without its begin or end is
 * judged by the other spans of the same name.
 */
static bool is_carrier(const struct trace *trace, const struct span *span)
{
	return span->carrier ||
		((span->no_begin || span->no_end) && trace->names.name[span->name].carries);
}

/*
 * Whether the span counts as a function of the program. A stretch of a fiber stands on two lanes,
 * its worker's and its own; only that on the worker's lane counts.
 */
static bool is_function(const struct trace *trace, const struct lane *lane, const struct span *span)
{
	return span->name != NOWHERE && !is_carrier(trace, span) && lane->kind != LANE_FIBER &&
		(span->kind == SPAN_TASK || span->kind == SPAN_JOB || span->kind == SPAN_FIBER);
}

static void add_function(struct figures *figures, const struct span *span)
{
	struct function *function = &figures->function[span->name];

	if (span->no_begin || span->no_end) {
		function->cut++;
		return;
	}
	times_add(&function->runs, span->end - span->begin);
	if (span->from != NOWHERE && span->kind != SPAN_JOB)
		times_add(&function->waits, span_waited(span));
}

/* Whether the worker was woken from this sleep for work, and ran nothing before its next sleep. */
static bool was_in_vain(const struct lane *lane, size_t i)
{
	const struct span *span = &lane->span[i];

	return (span->why & 2) && i + 1 < lane->nr && lane->span[i + 1].kind == SPAN_PARKED &&
		lane->span[i + 1].depth == span->depth;
}

static void add_use(struct use *use, const struct lane *lane, size_t i)
{
	const struct span *span = &lane->span[i];
	int64_t took = span->end - span->begin;

	use->tasks += span->kind == SPAN_TASK && !span->inner;
	use->jobs += span->kind == SPAN_JOB;
	if (span->kind == SPAN_PARKED && !(span->wait & NAP_TRACE_SPUN)) {
		time_add(&use->parked, took);
		use->parks++;
		use->woken += (span->why & 2) != 0;
		use->in_vain += was_in_vain(lane, i);
		if (span->depth)
			time_add(&use->running, -took);
	}
	if (!span->depth && span->kind != SPAN_PARKED)
		time_add(&use->running, took);
}

static void add_lane(struct figures *figures, const struct trace *trace, size_t i)
{
	const struct lane *lane = &trace->lane[i];

	for (size_t s = 0; s < lane->nr; s++) {
		if (is_function(trace, lane, &lane->span[s]))
			add_function(figures, &lane->span[s]);
		add_use(&figures->use[i], lane, s);
	}
}

void figures_make(struct figures *figures, const struct trace *trace)
{
	*figures = (struct figures){
		.function = resize(NULL, trace->names.nr, sizeof(*figures->function)),
		.nr_functions = trace->names.nr,
		.use = resize(NULL, trace->nr_lanes, sizeof(*figures->use)),
		.nr_lanes = trace->nr_lanes,
		.length = trace->end,
	};
	memset(figures->function, 0, figures->nr_functions * sizeof(*figures->function));
	memset(figures->use, 0, figures->nr_lanes * sizeof(*figures->use));
	for (size_t i = 0; i < trace->nr_lanes; i++)
		add_lane(figures, trace, i);
	for (size_t i = 0; i < trace->nr_events; i++)
		if (trace->event[i].at.kind == NAP_TRACE_STEAL)
			figures->use[trace->event[i].lane].stolen += trace->event[i].at.a;
	for (size_t i = 0; i < figures->nr_functions; i++) {
		times_sort(&figures->function[i].waits);
		times_sort(&figures->function[i].runs);
	}
}

void figures_free(struct figures *figures)
{
	for (size_t i = 0; i < figures->nr_functions; i++) {
		times_free(&figures->function[i].waits);
		times_free(&figures->function[i].runs);
	}
	free(figures->function);
	free(figures->use);
}
