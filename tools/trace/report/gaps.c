/* SPDX-License-Identifier: MIT */
/* Prints where work conservation was violated: lanes/gaps.c has found the places. */
#include <stdlib.h>

#include "report/parts.h"

/* Whether any time was judged. */
static bool is_judged(const struct trace *trace)
{
	return trace->whole.judged < trace->end && trace->whole.judged < trace->whole.until;
}

void print_gaps(FILE *to, const struct trace *trace, const struct report_options *options)
{
	size_t nr;
	struct gap *gap = gaps_longest(trace, options->gap, &nr);
	const struct gap *stopped = gap_at_stop(trace);
	char text[TIME_TEXT], at[TIME_TEXT], lane[LANE_NAME];
	char judged[MISSING_TEXT], more[MISSING_TEXT];

	fputc('\n', to);
	if (trace->whole.judged > INT64_MIN)
		fprintf(to, "work conservation was judged %s%s\n",
			missing_text(trace, trace->whole.judged, judged), more_text(trace, more));
	if (nr)
		fprintf(to,
			"work conservation was violated %zu times: a worker slept, work was "
			"queued, and nobody was being woken\n", nr);
	else if (is_judged(trace))
		fprintf(to,
			"no worker slept for %s while work was queued and nobody was being "
			"woken\n", time_text(options->gap, text));
	for (size_t i = 0; i < nr && i < options->most; i++)
		fprintf(to, "%9s  at %-9s %s slept; %u queued, %s the longest\n",
			time_text(gap[i].end - gap[i].begin, text), time_text(gap[i].begin, at),
			lane_name(trace, &trace->lane[gap[i].lane], lane), gap[i].queued,
			function_name(trace, gap[i].name));
	if (stopped && stopped->end - stopped->begin >= options->gap)
		fprintf(to,
			"%9s  at %-9s %s slept; %u queued, %s the longest, until the pool was "
			"stopped: no verdict, because a stop is no event\n",
			time_text(stopped->end - stopped->begin, text),
			time_text(stopped->begin, at),
			lane_name(trace, &trace->lane[stopped->lane], lane), stopped->queued,
			function_name(trace, stopped->name));
	free(gap);
}
