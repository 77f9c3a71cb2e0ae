/* SPDX-License-Identifier: MIT */
/* Prints where work conservation was violated: lanes/gaps.c has found the places. */
#include <stdlib.h>

#include "report/parts.h"

void print_gaps(FILE *to, const struct trace *trace, const struct report_options *options)
{
	size_t nr;
	struct gap *gap = gaps_longest(trace, options->gap, &nr);
	char text[TIME_TEXT], at[TIME_TEXT], lane[LANE_NAME];

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
