/* SPDX-License-Identifier: MIT */
/* Which execution graphs were met already: to compare ways of exploring with each other. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

static uint64_t *seen;
static size_t nr_seen, room;

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ul;
	return hash ^ hash >> 29;
}

static uint64_t mix_event(uint64_t hash, const struct event *e)
{
	return mix(mix(hash, e->thread + 1u), e->index);
}

static uint64_t hash_of(const struct graph *g)
{
	uint64_t hash = 1;

	for (unsigned t = 0; t < MAX_THREADS; t++)
		for (unsigned i = 0; i < g->count[t]; i++) {
			const struct event *e = &g->event[g->event_of[t][i]];

			hash = mix(mix_event(hash, e), e->kind);
			if (e->kind == E_READ)
				hash = mix_event(hash, &g->event[e->rf]);
			else if (e->kind == E_CHOICE)
				hash = mix(hash, e->value);
		}
	for (unsigned l = 0; l < g->nr_locations; l++) {
		uint64_t order = mix(locations[l].address, locations[l].size);

		for (unsigned w = g->head[l].co_first; w; w = g->event[w].co_next)
			order = mix_event(order, &g->event[w]);
		if (g->head[l].co_first)
			hash += order;	/* locations are met in any order */
	}
	return hash ? hash : 1;
}

static void insert(uint64_t hash)
{
	size_t i = hash & (room - 1);

	while (seen[i])
		i = (i + 1) & (room - 1);
	seen[i] = hash;
}

static void grow(void)
{
	uint64_t *old = seen;
	size_t old_room = room;

	room = room ? 2 * room : 1024;
	seen = calloc(room, sizeof(*seen));
	for (size_t i = 0; i < old_room; i++)
		if (old[i])
			insert(old[i]);
	free(old);
}

void distinct_clear(void)
{
	free(seen);
	seen = NULL;
	nr_seen = room = 0;
}

bool distinct_graph(const struct graph *g)
{
	uint64_t hash = hash_of(g);

	if (2 * nr_seen >= room)
		grow();
	for (size_t i = hash & (room - 1); seen[i]; i = (i + 1) & (room - 1))
		if (seen[i] == hash)
			return false;
	insert(hash);
	nr_seen++;
	return true;
}
