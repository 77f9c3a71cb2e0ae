/* SPDX-License-Identifier: MIT */
/* The parts of a report, by file. */
#ifndef TRACE_PARTS_H
#define TRACE_PARTS_H

#include "report/report.h"

/* waits.c */
void print_longest(FILE *to, const struct trace *trace, unsigned most);

/* pairs.c: prints, for the events of @kind, which lane @did it how often to which worker. */
void print_pairs(FILE *to, const struct trace *trace, unsigned kind, const char *title,
		 const char *did, unsigned most);

/* gaps.c */
void print_gaps(FILE *to, const struct trace *trace, const struct report_options *options);

#endif /* TRACE_PARTS_H */
