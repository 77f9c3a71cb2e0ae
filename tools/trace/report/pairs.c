/* SPDX-License-Identifier: MIT */
/*
 * Prints how often each thread woke each worker, and how often each worker stole from each other
 * one.
 */
#include <stdlib.h>

#include "file/memory.h"
#include "report/parts.h"

struct pair {
	uint32_t from, whom;	/* from: a lane; whom: a worker's index */
	uint64_t count;
};

struct pairs {
	struct pair *pair;
	size_t nr, last;
};

/* Checks the last pair first, because the pair is mostly the same. */
static void pairs_add(struct pairs *pairs, uint32_t from, uint32_t whom, uint64_t count)
{
	for (size_t i = 0; i < pairs->nr; i++) {
		struct pair *pair = &pairs->pair[(pairs->last + i) % pairs->nr];

		if (pair->from != from || pair->whom != whom)
			continue;
		pairs->last = (size_t)(pair - pairs->pair);
		pair->count += count;
		return;
	}
	pairs->pair = grow(pairs->pair, pairs->nr, sizeof(*pairs->pair));
	pairs->pair[pairs->nr++] = (struct pair){ from, whom, count };
}

static int by_count(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return x->count > y->count ? -1 : x->count < y->count;
}

void print_pairs(FILE *to, const struct trace *trace, unsigned kind, const char *title,
		 const char *did, unsigned most)
{
	struct pairs pairs = { .pair = resize(NULL, 1, sizeof(*pairs.pair)) };
	char from[LANE_NAME], more[MISSING_TEXT];

	for (size_t i = 0; i < trace->nr_events; i++) {
		const struct event *event = &trace->event[i];

		if (event->at.kind == kind)
			pairs_add(&pairs, event->lane, event->at.other,
				  kind == NAP_TRACE_STEAL ? event->at.a : 1);
	}
	qsort(pairs.pair, pairs.nr, sizeof(*pairs.pair), by_count);
	if (pairs.nr)
		fprintf(to, "\n%s%s%s\n", title,
			has_lost(trace) ? ", as far as a track has them" : "",
			more_text(trace, more));
	for (size_t i = 0; i < pairs.nr && i < most; i++)
		fprintf(to, "%10llu  %s %s worker %u\n", (unsigned long long)pairs.pair[i].count,
			lane_name(trace, &trace->lane[pairs.pair[i].from], from), did,
			pairs.pair[i].whom);
	if (pairs.nr > most)
		fprintf(to, "... and %zu pairs more\n", pairs.nr - most);
	free(pairs.pair);
}
