/* SPDX-License-Identifier: MIT */
/* Reports a trace in words and figures. */
#ifndef TRACE_REPORT_H
#define TRACE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "lanes/lanes.h"
#include "report/times.h"

/* A function of the program, summed over all its spans. */
struct function {
	struct times waits;	/* from the schedule to the begin */
	struct times runs;	/* from the begin to the end; of a fiber, each stretch */
	uint64_t cut;		/* spans without begin or end, which are in neither list */
};

/* A worker, or a thread from outside, over the whole trace. */
struct use {
	int64_t running, parked;
	uint64_t tasks, jobs, stolen, parks, woken, in_vain;
};

struct figures {
	struct function *function;	/* indexed as the names are */
	size_t nr_functions;
	struct use *use;		/* by lane */
	size_t nr_lanes;
	int64_t length;
};

void figures_make(struct figures *figures, const struct trace *trace);
void figures_free(struct figures *figures);

/*
 * Whether functions of this name have run. nap's own helpers only wait or schedule, and do not
 * count.
 */
bool function_ran(const struct function *function);

struct report_options {
	bool histograms;
	unsigned most;		/* how many lines a list has, at most */
	int64_t gap;		/* ns of the shortest gap that is named */
};

void report_print(FILE *to, const struct trace *trace, const struct report_options *options);

/* Prints both traces beside each other, by the names of functions. */
void report_compare(FILE *to, const struct trace *before, const struct trace *after);

/* Returns "schedule" and so on; NULL for a kind that this tool does not know. */
const char *event_name(unsigned kind);
/* Whether the event's b is the address of a function of the program. */
bool event_has_function(unsigned kind);

/* Prints every event, a line each. */
void report_dump(FILE *to, const struct trace *trace);

#endif /* TRACE_REPORT_H */
