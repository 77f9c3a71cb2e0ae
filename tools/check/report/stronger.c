/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "explore/search.h"
#include "graph/fatal.h"
#include "model/coherence.h"
#include "program/threads.h"
#include "report/stronger.h"

struct building {
	const struct change *change;
	struct graph *g;
	bool allowed;
	uint16_t map[MAX_EVENTS];	/* an event's number in @g */
	unsigned fences[MAX_THREADS];	/* how many were put into a thread */
};

/* Whether @e, not listed yet, neither reads nor follows an older write than its thread has seen. */
static bool is_coherent(struct graph *g, const struct event *e, unsigned after)
{
	if (e->kind == E_READ)
		return coherence_floor(g, e->location, &origin_of(g, e)->clock) <=
		       g->event[e->rf].pos;
	return e->kind != E_WRITE ||
	       coherence_floor(g, e->location, &e->clock) <= g->event[after].pos;
}

/*
 * Computes the event, which is the newest, and enters it into the graph; a write behind @after in
 * co.
 */
static void enter(struct building *b, struct event *e, unsigned after)
{
	graph_compute(b->g, e);
	b->allowed = is_coherent(b->g, e, after);
	graph_list(b->g, e);
	if (e->kind == E_WRITE)
		graph_co_insert(b->g, e, after);
	if (is_access(e) || e->kind == E_FENCE)
		b->allowed = b->allowed && search.model->allows(b->g, number_of(b->g, e), 0);
}

static unsigned added(const struct building *b, unsigned event)
{
	unsigned order = 0;

	for (unsigned i = 0; i < b->change->nr; i++)
		if (b->change->more[i].event == event)
			order |= b->change->more[i].order;
	return order;
}

static void add_fences(struct building *b, unsigned event, unsigned thread)
{
	for (unsigned i = 0; i < b->change->nr_fences && b->allowed; i++) {
		struct event *e;

		if (b->change->fence[i] != event)
			continue;
		e = graph_append(b->g, thread, E_FENCE);
		if (!e || !model_has_room(b->g))
			return;
		e->order = O_SEQ_CST;
		b->fences[thread]++;
		enter(b, e, 0);
	}
}

static void add_event_of(const struct event *from, void *arg)
{
	struct building *b = arg;
	unsigned number = number_of(graph, from), more = added(b, number), prev = from->co_prev;
	struct event *e;
	uint16_t index;

	if (!b->allowed)
		return;
	add_fences(b, number, from->thread);
	e = b->allowed ? graph_append(b->g, from->thread, from->kind) : NULL;
	if (!e)
		return;
	index = e->index;
	*e = *from;
	e->index = index;
	e->rf = b->map[from->rf];
	e->order |= (uint8_t)more;
	if (from->kind == E_READ && from->rmw == RMW_CAS)
		e->fail_order |= (uint8_t)(more & (O_ACQUIRE | O_SC));
	b->map[number] = (uint16_t)number_of(b->g, e);
	while (prev && !b->map[prev])
		prev = graph->event[prev].co_prev;
	enter(b, e, b->map[prev]);
}

bool stronger_allows(const struct change *change, unsigned thread, unsigned of, unsigned index,
		     bool *knows)
{
	struct building b = { .change = change, .allowed = true };
	const struct event *last;

	b.g = malloc(sizeof(*b.g));
	if (!b.g)
		fatal("no memory for a page");
	graph_clear(b.g, graph->locations);
	b.g->nr_locations = graph->nr_locations;
	run_event_order(add_event_of, &b);
	last = last_of(b.g, thread);
	*knows = b.allowed && last && vector_get(&last->clock, of) >= (int)index;
	free(b.g);
	return b.allowed;
}
