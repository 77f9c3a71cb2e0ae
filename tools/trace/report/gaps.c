/* SPDX-License-Identifier: MIT */
/* Where work conservation was violated: lanes/gaps.c has found the places. */
#include <stdlib.h>

#include "file/memory.h"
#include "report/parts.h"

static int by_length(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;

	return x->end - x->begin > y->end - y->begin ? -1 : x->end - x->begin < y->end - y->begin;
}

void print_gaps(FILE *to, const struct trace *trace, const struct report_options *options)
{
	struct gap *gap = resize(NULL, trace->nr_gaps, sizeof(*gap));
	char text[TIME_TEXT], at[TIME_TEXT], lane[LANE_NAME];
	size_t nr = 0;

	for (size_t i = 0; i < trace->nr_gaps; i++)
		if (trace->gap[i].end - trace->gap[i].begin >= options->gap)
			gap[nr++] = trace->gap[i];
	qsort(gap, nr, sizeof(*gap), by_length);
	if (nr)
		fprintf(to,
			"\nwork conservation was violated %zu times: a worker slept, work was "
			"queued, and nobody was being woken\n", nr);
	else
		fprintf(to,
			"\nno worker slept for %s while work was queued and nobody was being "
			"woken\n", time_text(options->gap, text));
	for (size_t i = 0; i < nr && i < options->most; i++)
		fprintf(to, "%9s  at %-9s %s slept; %u queued, %s the longest\n",
			time_text(gap[i].end - gap[i].begin, text), time_text(gap[i].begin, at),
			lane_name(trace, &trace->lane[gap[i].lane], lane), gap[i].queued,
			function_name(trace, gap[i].name));
	free(gap);
}
