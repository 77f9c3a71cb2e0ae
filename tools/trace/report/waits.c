/* SPDX-License-Identifier: MIT */
/* Prints the longest waits, and what was waited for. */
#include <stdlib.h>

#include "file/memory.h"
#include "report/parts.h"

struct wait {
	const struct span *span;
	uint32_t lane;
	int64_t took;
	bool queued;		/* the wait is from a schedule to the begin */
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

static int64_t length(const struct span *span)
{
	return span->end - span->begin;
}

/*
 * Whether the span is a wait. Parks are none: a park inside a wait is a part of that wait, and a
 * park outside of every span is a worker without work.
 */
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
				    &(struct wait){ span, i, length(span), false });
		else if (span->from != NOWHERE && !span->carrier && span->kind != SPAN_PARKED &&
			 lane->kind != LANE_FIBER)
			longest_add(longest,
				    &(struct wait){ span, i, span_waited(span), true });
	}
}

/*
 * Returns what held up @span in its serial queue: the longest task of the queue that ran while
 * @span waited, on the same lane. Such tasks lie in spans of the queue's own task. NULL if none
 * is known.
 */
static const struct span *held_up_by(const struct lane *lane, const struct span *span)
{
	const struct span *longest = NULL, *inside = NULL;
	uint64_t queue = 0;

	for (const struct span *at = span; span->in_order && span->depth && at-- > lane->span;) {
		if (at->depth + 1 == span->depth) {
			if (at->end <= span->since)
				break;
			queue = queue ? queue : at->object;
			if (at->object == queue && inside &&
			    (!longest || length(inside) > length(longest)))
				longest = inside;
			inside = NULL;
		} else if (at->depth == span->depth && at->end > span->since &&
			   (!inside || length(at) > length(inside))) {
			inside = at;
		}
	}
	return longest;
}

static void print_queued(FILE *to, const struct trace *trace, const struct wait *wait)
{
	const struct lane *lane = &trace->lane[wait->lane];
	const struct span *span = wait->span, *before = held_up_by(lane, span);
	char by[LANE_NAME], on[LANE_NAME], name[SPAN_NAME];

	if (span->at_once)
		fprintf(to, "%s was %s, ", span_name(trace, span, name),
			span->late ? "due" : "ready");
	else
		fprintf(to, "%s was queued by %s, ", span_name(trace, span, name),
			lane_name(trace, &trace->lane[span->from], by));
	if (!span->in_order)
		fprintf(to, "until %s had time\n", lane_name(trace, lane, on));
	else if (before)
		fprintf(to, "in order, behind %s on %s\n", span_name(trace, before, name),
			lane_name(trace, lane, on));
	else
		fprintf(to, "in order, until it began on %s\n", lane_name(trace, lane, on));
}

static void print_wait(FILE *to, const struct trace *trace, const struct wait *wait)
{
	const struct span *span = wait->span;
	char lane[LANE_NAME], name[SPAN_NAME], took[TIME_TEXT], at[TIME_TEXT];

	lane_name(trace, &trace->lane[wait->lane], lane);
	span_name(trace, span, name);
	fprintf(to, "%9s%s at %-9s ", time_text(wait->took, took),
		wait->queued ? " " : span->no_end ? "+" : span->no_begin ? "-" : " ",
		time_text(wait->queued ? span->since - span->late : span->begin, at));
	if (wait->queued)
		print_queued(to, trace, wait);
	else if (span->kind == SPAN_WAIT && span->object)
		fprintf(to, "%s: %s, 0x%llx\n", lane, name, (unsigned long long)span->object);
	else
		fprintf(to, "%s: %s\n", lane, name);
}

static bool has_early(const struct longest *longest)
{
	for (unsigned i = 0; i < longest->nr; i++)
		if (!longest->wait[i].queued && longest->wait[i].span->no_begin)
			return true;
	return false;
}

void print_longest(FILE *to, const struct trace *trace, unsigned most)
{
	struct longest longest = { .wait = resize(NULL, most, sizeof(*longest.wait)),
				   .most = most };

	char missing[MISSING_TEXT], more[MISSING_TEXT];

	for (uint32_t i = 0; i < trace->nr_lanes; i++)
		look_for_longest(&longest, trace, i);
	if (longest.nr || trace->whole.missing)
		fprintf(to, "\nlongest waits (+: not over when the trace ends%s)\n",
			has_early(&longest) ? "; -: began before the trace has it" : "");
	if (trace->whole.missing)
		fprintf(to, "of queued tasks and of fibers only those that began %s%s\n",
			missing_text(trace, trace->whole.from, missing), more_text(trace, more));
	for (unsigned i = 0; i < longest.nr; i++)
		print_wait(to, trace, &longest.wait[i]);
	free(longest.wait);
}
