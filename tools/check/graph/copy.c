/* SPDX-License-Identifier: MIT */
/* Copies the part of an execution graph that a revisit keeps. */
#include <stddef.h>
#include <string.h>

#include "graph/graph.h"

/* Links the kept writes in co, except @a, which the caller inserts last. */
static void copy_co(const struct graph *from, struct graph *to, const uint16_t *map, unsigned a)
{
	for (unsigned l = 0; l < to->nr_locations; l++) {
		unsigned last = 0, pos = 0;

		for (unsigned w = from->head[l].co_first; w; w = from->event[w].co_next) {
			struct event *e = &to->event[map[w]];

			if (!map[w] || w == a)
				continue;
			e->pos = (uint16_t)++pos;
			e->co_prev = (uint16_t)last;
			e->co_next = 0;
			if (last)
				to->event[last].co_next = map[w];
			else
				to->head[l].co_first = map[w];
			last = map[w];
		}
		to->head[l].co_last = (uint16_t)last;
	}
}

/* Translates the event numbers in the fields of a copied event. */
static void relink(struct graph *to, struct event *e, const uint16_t *map)
{
	e->rf = map[e->rf];
	e->release_fence = map[e->release_fence];
	graph_list(to, e);
}

/* Fills @to with the events up to @last that are not newer than @r, or that @also has. */
static void copy_events(const struct graph *from, struct graph *to, uint16_t *map, unsigned last,
			unsigned r, const vector *also)
{
	memset(to, 0, offsetof(struct graph, event_of));
	to->locations = from->locations;
	to->nr_locations = from->nr_locations;
	memset(to->head, 0, to->nr_locations * sizeof(to->head[0]));
	to->event[0] = from->event[0];
	to->n = 1;
	map[0] = 0;
	for (unsigned i = 1; i <= last; i++) {
		const struct event *e = &from->event[i];

		map[i] = 0;
		if (i > r && !vector_has(also, e))
			continue;
		map[i] = (uint16_t)to->n;
		to->event_of[e->thread][e->index - 1] = (uint16_t)to->n;
		to->count[e->thread] = e->index;
		to->event[to->n++] = *e;
	}
	for (unsigned i = 1; i < to->n; i++)
		relink(to, &to->event[i], map);
}

unsigned graph_copy_for(const struct graph *from, struct graph *to, unsigned r, unsigned a)
{
	uint16_t map[MAX_EVENTS];

	copy_events(from, to, map, a, r, &from->event[a].prefix);
	copy_co(from, to, map, a);
	graph_co_insert(to, &to->event[map[a]], to->head[from->event[a].location].co_last);
	return map[a];
}

void graph_copy_part(const struct graph *from, struct graph *to, const vector *all)
{
	uint16_t map[MAX_EVENTS];

	copy_events(from, to, map, from->n - 1, 0, all);
	copy_co(from, to, map, 0);
}
