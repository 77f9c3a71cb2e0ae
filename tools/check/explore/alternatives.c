/* SPDX-License-Identifier: MIT */
#include "explore/alternatives.h"
#include "explore/path.h"
#include "explore/progress.h"

/* ---- taking alternatives */

bool take_read(struct graph *g, struct item item)
{
	struct event *e = &g->event[item.event];

	e->rf = item.to;
	graph_compute(g, e);
	if ((e->flags & F_EXCL) && co_closed(g, e->rf, e->location)) {
		if (allowed(g, item.event, 0))
			contend(g, e);
		return false;
	}
	return allowed(g, item.event, 0);
}

static void take_contend(struct frame *frame, struct item item)
{
	struct graph *g = &frame->graph;
	const struct event *kept = &frame->kept[item.also];
	struct event *e = graph_append(g, kept->thread, E_READ);
	uint16_t index;

	if (!e || !model_has_room(g)) {
		search_undecided(e ? FENCES_ARE_FULL : GRAPH_IS_FULL);
		return;
	}
	index = e->index;
	*e = *kept;
	e->index = index;
	graph_list(g, e);
	item.event = (uint16_t)number_of(g, e);
	take_read(g, item);
}

bool take_write(struct graph *g, struct item item)
{
	struct event *e = &g->event[item.event];

	graph_co_unlink(g, e);
	graph_co_insert(g, e, item.to);
	return allowed(g, item.event, item.also);
}

static unsigned count_flag(const struct graph *g, unsigned flag)
{
	unsigned n = 0;

	for (unsigned i = 1; i < g->n; i++)
		n += g->event[i].kind == E_CHOICE && (g->event[i].flags & flag) &&
		     g->event[i].value;
	return n;
}

bool take_choice(struct graph *g, struct item item)
{
	g->event[item.event].value = item.to;
	return count_flag(g, F_FAILURE) <= search.spawn_failures &&
	       count_flag(g, F_SPURIOUS) <= search.spurious &&
	       count_flag(g, F_WEAK) <= search.weak_failures;
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

bool take_newest(void)
{
	struct frame *frame;
	struct item item;
	bool runs;

	while (!top()->nr)
		nr_frames--;
	frame = top();
	item = frame->items[--frame->nr];
	if (path_wanted)
		path_take(progress_wanted ? progress_place(&frame->graph, &item) : 0);
	else
		nr_items--;
	runs = take(frame, item);
	graph = &top()->graph;
	return runs;
}

bool next_graph(void)
{
	while (nr_items && !result.why) {
		if (path_wanted)
			path_noted();
		if (take_newest())
			return true;
	}
	return false;
}

void first_graph(void)
{
	nr_frames = nr_items = 0;
	path_begin();
	graph = &push_frame()->graph;
	graph_clear(graph, search.locations);
}

/* ---- noting alternatives to the event that was added */

void note_reads(struct event *e, const uint16_t *candidates, unsigned nr)
{
	while (nr > 1)
		note(top(), ALT_READ, number_of(graph, e), candidates[--nr]);
}

void note_writes(struct event *e, const uint16_t *candidates, unsigned nr)
{
	while (nr > 1)
		note(top(), ALT_WRITE, number_of(graph, e), candidates[--nr]);
}

void note_choices(struct event *e)
{
	for (unsigned i = (unsigned)e->expected; --i > 0; )
		note(top(), ALT_CHOICE, number_of(graph, e), i);
}
