/* SPDX-License-Identifier: MIT */
/*
 * Exploration: every execution graph that the model allows, each once.
 *
 * The algorithm is TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis: Truly Stateless, Optimal
 * Dynamic Partial Order Reduction, POPL 2022). Threads add their events one at a time, always the
 * first thread that can. A read takes the newest write; the other writes that it may read are noted
 * as alternatives, and so are the other places in co of a write, and the earlier reads that could
 * have read it (revisit.c).
 *
 * The other two ways, for scenarios too large: random sampling, and a bound on preemptions, which
 * explores schedules one by one without any reduction. Both only go forward, as a replay does.
 */
#include "explore/explore.h"

struct graph *graph;

bool forward_only(void)
{
	return options.random || options.preemption_bound || replaying();
}

/* ---- taking alternatives */

static bool take_read(struct graph *g, struct item item)
{
	struct event *e = &g->event[item.event];

	e->rf = item.to;
	graph_compute(g, e);
	if ((e->flags & F_EXCL) && co_closed(g, e->rf, e->location)) {
		if (axioms_hold(g, item.event, 0))
			contend(g, e);
		return false;
	}
	return axioms_hold(g, item.event, 0);
}

static void take_contend(struct frame *frame, struct item item)
{
	struct graph *g = &frame->graph;
	const struct event *kept = &frame->kept[item.also];
	struct event *e = graph_append(g, kept->thread, E_READ);
	uint16_t index = e->index;

	*e = *kept;
	e->index = index;
	graph_list_access(g, e);
	item.event = (uint16_t)number_of(g, e);
	take_read(g, item);
}

static bool take_write(struct graph *g, struct item item)
{
	struct event *e = &g->event[item.event];

	graph_co_unlink(g, e);
	graph_co_insert(g, e, item.to);
	return axioms_hold(g, item.event, item.also);
}

static unsigned count_flag(const struct graph *g, unsigned flag)
{
	unsigned n = 0;

	for (unsigned i = 1; i < g->n; i++)
		n += g->event[i].kind == E_CHOICE && (g->event[i].flags & flag) &&
		     g->event[i].value;
	return n;
}

static bool take_choice(struct graph *g, struct item item)
{
	g->event[item.event].value = item.to;
	return count_flag(g, F_FAILURE) <= scenario->spawn_failures &&
	       count_flag(g, F_SPURIOUS) <= scenario->spurious;
}

static bool take(struct frame *frame, struct item item)
{
	struct graph *g = &frame->graph;

	graph_cut(g, item.event);
	schedule_force(-1);
	switch (item.type) {
	case ALT_READ:
		return take_read(g, item);
	case ALT_WRITE:
		return take_write(g, item);
	case ALT_CHOICE:
		return take_choice(g, item);
	case ALT_THREAD:
		schedule_force(item.to);
		return true;
	case ALT_REVISIT:
		revisit(g, item.event, item.to);
		return false;
	case ALT_CONTEND:
		take_contend(frame, item);
		return false;
	}
	return false;
}

bool next_graph(void)
{
	while (nr_frames) {
		struct frame *frame = top();

		if (!frame->nr) {
			nr_frames--;
			continue;
		}
		if (take(frame, frame->items[--frame->nr])) {
			graph = &top()->graph;
			return true;
		}
	}
	return false;
}

/* ---- noting them, for what was added */

/* One of them that the axioms allow, by trying; in forward-only modes. The newest always is. */
static void sample(struct event *e, const uint16_t *candidates, unsigned nr,
		   bool (*try)(struct graph *g, struct item item))
{
	unsigned first = random_below(2) ? 0 : random_below(nr);

	for (unsigned i = 0; i < nr; i++) {
		unsigned k = (first + i) % nr;
		struct item item = { 0, (uint16_t)number_of(graph, e), candidates[k], 0 };

		if (try(graph, item))
			return;
	}
	try(graph, (struct item){ 0, (uint16_t)number_of(graph, e), candidates[0], 0 });
}

void added_read(struct event *e, const uint16_t *candidates, unsigned nr)
{
	unsigned number = number_of(graph, e);

	if (replaying()) {
		take_read(graph, (struct item){ 0, (uint16_t)number,
						(uint16_t)replay_pick(e, candidates, nr), 0 });
		return;
	}
	if (options.random) {
		sample(e, candidates, nr, take_read);
		return;
	}
	while (nr > 1)
		note(top(), ALT_READ, number, candidates[--nr]);
}

void added_write(struct event *e, const uint16_t *candidates, unsigned nr)
{
	unsigned number = number_of(graph, e);

	if (replaying()) {
		take_write(graph, (struct item){ 0, (uint16_t)number,
						 (uint16_t)replay_pick(e, candidates, nr), 0 });
		return;
	}
	if (options.random) {
		if (nr > 1)
			sample(e, candidates, nr, take_write);
		return;
	}
	if (!forward_only())
		note_revisits(graph, e);
	while (nr > 1)
		note(top(), ALT_WRITE, number, candidates[--nr]);
}

/* A thread that may stop is to come some way in most samples. */
#define STOPS_ONE_IN 24

static unsigned sample_choice(const struct event *e)
{
	if (e->flags & F_STOP)
		return random_below(STOPS_ONE_IN) == 0;
	return random_below((unsigned)e->expected);
}

void added_choice(struct event *e)
{
	unsigned number = number_of(graph, e);

	if (replaying()) {
		e->value = replay_choice(e);
	} else if (options.random) {
		struct item item = { 0, (uint16_t)number,
				     (uint16_t)sample_choice(e), 0 };

		if (!take_choice(graph, item))
			e->value = 0;
	} else {
		for (unsigned i = (unsigned)e->expected; --i > 0; )
			note(top(), ALT_CHOICE, number, i);
	}
}
