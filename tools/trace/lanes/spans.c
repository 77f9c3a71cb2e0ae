/* SPDX-License-Identifier: MIT */
#include "file/memory.h"
#include "lanes/build.h"

struct span *span_open(struct lane *lane, enum span_kind kind, int64_t now)
{
	struct span *span;

	lane->span = grow(lane->span, lane->nr, sizeof(*lane->span));
	lane->open = grow(lane->open, lane->nr_open, sizeof(*lane->open));
	span = &lane->span[lane->nr];
	*span = (struct span){
		.begin = now,
		.end = now,
		.kind = (uint8_t)kind,
		.from = NOWHERE,
		.name = NOWHERE,
		.victim = NOWHERE,
		.depth = (uint16_t)lane->nr_open,
	};
	lane->open[lane->nr_open++] = lane->nr++;
	if (lane->depth < lane->nr_open)
		lane->depth = (unsigned)lane->nr_open;
	return span;
}

struct span *span_inside(struct lane *lane)
{
	return lane->nr_open ? &lane->span[lane->open[lane->nr_open - 1]] : NULL;
}

struct span *span_around(struct lane *lane)
{
	return lane->nr_open > 1 ? &lane->span[lane->open[lane->nr_open - 2]] : NULL;
}

/* Makes up a span that began before the stretch: all spans that have ended since were inside it. */
static struct span *make_up(struct lane *lane, enum span_kind kind, int64_t now)
{
	lane->early = grow(lane->early, lane->nr_early, sizeof(*lane->early));
	lane->early[lane->nr_early] = (struct early){
		.nr = lane->nr,
		.span = {
			.begin = lane->begun,
			.end = now,
			.kind = (uint8_t)kind,
			.from = NOWHERE,
			.name = NOWHERE,
			.victim = NOWHERE,
			.no_begin = true,
		},
	};
	return &lane->early[lane->nr_early++].span;
}

struct span *span_missed(struct lane *lane, enum span_kind kind, int64_t least, int64_t now)
{
	int64_t begin = lane->nr > lane->stretch ? lane->span[lane->nr - 1].end :
			lane->nr_early ? lane->early[lane->nr_early - 1].span.end : lane->begun;
	struct span *span;

	least = least < lane->begun ? lane->begun : least;
	begin = begin < least ? least : begin;
	span = span_open(lane, kind, begin < now ? begin : now);
	span->end = now;
	span->no_begin = true;
	lane->nr_open--;
	return span;
}

static bool is_function(const struct span *span)
{
	return span->kind == SPAN_TASK || span->kind == SPAN_JOB || span->kind == SPAN_FIBER;
}

struct span *span_close(struct lane *lane, enum span_kind kind, int64_t now)
{
	struct span *span = NULL;
	size_t i = lane->nr_open;

	for (; i && lane->span[lane->open[i - 1]].kind != kind; i--) {
		const struct span *around = &lane->span[lane->open[i - 1]];

		/* The fiber has waited inside this span, whose begin is on another lane. */
		if (is_function(around) && kind >= SPAN_JOIN)
			return span_missed(lane, kind, around->begin, now);
	}
	if (!i) {
		/* The span began before all open spans, so these have ended inside it. */
		if (lane->lost)
			spans_end(lane, now);
		return make_up(lane, kind, now);
	}
	while (lane->nr_open >= i) {
		span = span_inside(lane);
		span->end = now;
		span->no_end = lane->nr_open > i || lane->holes;
		lane->nr_open--;
	}
	return span;
}

void span_leaf(struct lane *lane, const struct event *event)
{
	const struct span *around = span_inside(lane);
	uint32_t name = around ? around->name : NOWHERE;
	struct span *span = span_open(lane, SPAN_LEAF, lane->last);

	span->object = event->at.a;
	span->nr = event->at.b < UINT32_MAX ? (uint32_t)event->at.b : UINT32_MAX;
	span->name = name;
	span->no_begin = (lane->lost && event->ns == lane->first) ||
			 (lane->begun > lane->first && lane->last <= lane->begun);
	span_close(lane, SPAN_LEAF, event->ns);
}

void spans_end(struct lane *lane, int64_t end)
{
	while (lane->nr_open) {
		struct span *span = span_inside(lane);

		span->end = end > span->begin ? end : span->begin;
		span->no_end = true;
		lane->nr_open--;
	}
}

/*
 * Puts the early spans before the others of the stretch, all at once: each is around the early
 * spans that had ended before it. This changes the numbers of spans. No number is kept anywhere,
 * because all spans have ended.
 */
static void early_place(struct lane *lane)
{
	size_t first = lane->stretch, nr = lane->nr_early, around = nr;

	for (size_t i = 0; i < nr; i++)
		lane->span = grow(lane->span, lane->nr++, sizeof(*lane->span));
	for (size_t i = lane->nr; nr && i-- > first + nr;) {
		struct span *span = &lane->span[i];

		*span = lane->span[i - nr];
		while (around && lane->early[around - 1].nr > i - nr)
			around--;
		span->depth += (uint16_t)(nr - around);
		lane->depth = lane->depth > span->depth ? lane->depth : span->depth + 1u;
	}
	for (size_t i = 0; i < nr; i++) {
		lane->span[first + i] = lane->early[nr - 1 - i].span;
		lane->span[first + i].depth = (uint16_t)i;
	}
	lane->depth = lane->depth > nr ? lane->depth : (unsigned)nr;
	lane->nr_early = 0;
}

void stretch_end(struct lane *lane, int64_t end)
{
	spans_end(lane, end);
	early_place(lane);
	lane->stretch = lane->nr;
}
