/* SPDX-License-Identifier: MIT */
/* The parts of a report, by file. */
#ifndef TRACE_PARTS_H
#define TRACE_PARTS_H

#include "report/report.h"

/*
 * known.c: two texts for a report on a trace that lacks events. Both are empty if no event is
 * missing, and have MISSING_TEXT bytes.
 *
 * missing_text() says which part of the trace the figures since the time @from cover: "in the last
 * 310 ms of 3.20 s, because older events of worker 1 were overwritten". more_text() says how to
 * have more events, for example "; NAP_TRACE_EVENTS=65536, or nap_trace_options.events, keeps all".
 */
#define MISSING_TEXT 160
const char *missing_text(const struct trace *trace, int64_t from, char *text);
const char *more_text(const struct trace *trace, char *text);
/* Whether the oldest events of any track are missing. */
bool has_lost(const struct trace *trace);

/* waits.c */
void print_longest(FILE *to, const struct trace *trace, unsigned most);

/*
 * pairs.c: prints, for the events of @kind, how often each lane did this to each worker. @did: the
 * verb.
 */
void print_pairs(FILE *to, const struct trace *trace, unsigned kind, const char *title,
		 const char *did, unsigned most);

/* gaps.c */
void print_gaps(FILE *to, const struct trace *trace, const struct report_options *options);

#endif /* TRACE_PARTS_H */
