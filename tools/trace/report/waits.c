/* SPDX-License-Identifier: MIT */
/* The longest waits, and what was waited for. */
#include <stdlib.h>

#include "file/memory.h"
#include "report/parts.h"

struct wait {
	const struct span *span;
	uint32_t lane;
	int64_t took;
	bool queued;		/* between the schedule and the begin */
};

struct longest {
	struct wait *wait;	/* the longest first */
	unsigned nr, most;
};

static void longest_add(struct longest *longest, const struct wait *wait)
{
	unsigned i = longest->nr;

	if (i == longest->most && (!i || longest->wait[i - 1].took >= wait->took))
		return;
	if (i < longest->most)
		longest->nr++;
	else
		i--;
	for (; i && longest->wait[i - 1].took < wait->took; i--)
		longest->wait[i] = longest->wait[i - 1];
	longest->wait[i] = *wait;
}

/* A park inside a wait is a part of it; one on the bottom is a worker without work. */
static bool is_wait(const struct span *span)
{
	return span->kind == SPAN_JOIN || span->kind == SPAN_GROUP || span->kind == SPAN_WAIT ||
		span->kind == SPAN_BLOCKED;
}

static void look_for_longest(struct longest *longest, const struct trace *trace, uint32_t i)
{
	const struct lane *lane = &trace->lane[i];

	for (size_t s = 0; s < lane->nr; s++) {
		const struct span *span = &lane->span[s];

		if (is_wait(span))
			longest_add(longest,
				    &(struct wait){ span, i, span->end - span->begin, false });
		else if (span->from != NOWHERE && !span->carrier && span->kind != SPAN_PARKED &&
			 lane->kind != LANE_FIBER)
			longest_add(longest,
				    &(struct wait){ span, i, span->begin - span->since, true });
	}
}

static void print_wait(FILE *to, const struct trace *trace, const struct wait *wait)
{
	const struct span *span = wait->span;
	char lane[LANE_NAME], from[LANE_NAME], name[SPAN_NAME], took[TIME_TEXT], at[TIME_TEXT];

	lane_name(trace, &trace->lane[wait->lane], lane);
	span_name(trace, span, name);
	fprintf(to, "%9s%s at %-9s ", time_text(wait->took, took),
		span->no_end && !wait->queued ? "+" : " ",
		time_text(wait->queued ? span->since : span->begin, at));
	if (wait->queued)
		fprintf(to, "%s was queued by %s, until %s had time\n", name,
			lane_name(trace, &trace->lane[span->from], from), lane);
	else if (span->kind == SPAN_WAIT && span->object)
		fprintf(to, "%s: %s, 0x%llx\n", lane, name, (unsigned long long)span->object);
	else
		fprintf(to, "%s: %s\n", lane, name);
}

void print_longest(FILE *to, const struct trace *trace, unsigned most)
{
	struct longest longest = { .wait = resize(NULL, most, sizeof(*longest.wait)),
				   .most = most };

	for (uint32_t i = 0; i < trace->nr_lanes; i++)
		look_for_longest(&longest, trace, i);
	if (longest.nr)
		fprintf(to, "\nlongest waits (+: not over when the trace ends)\n");
	for (unsigned i = 0; i < longest.nr; i++)
		print_wait(to, trace, &longest.wait[i]);
	free(longest.wait);
}
