/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "graph/distinct.h"
#include "graph/mix.h"

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
		uint64_t order = mix(g->locations[l].address, g->locations[l].size);

		for (unsigned w = g->head[l].co_first; w; w = g->event[w].co_next)
			order = mix_event(order, &g->event[w]);
		if (g->head[l].co_first)
			hash += order;	/* a sum, because locations are met in any order */
	}
	return hash ? hash : 1;
}

/* Returns the slot that holds @hash, or the free slot where @hash would go. */
static uint64_t *slot_of(struct graph_set *set, uint64_t hash)
{
	size_t i = hash & (set->room - 1);

	while (set->hashes[i] && set->hashes[i] != hash)
		i = (i + 1) & (set->room - 1);
	return &set->hashes[i];
}

static void grow(struct graph_set *set)
{
	struct graph_set old = *set;

	set->room = old.room ? 2 * old.room : 1024;
	set->hashes = calloc(set->room, sizeof(*set->hashes));
	for (size_t i = 0; i < old.room; i++)
		if (old.hashes[i])
			*slot_of(set, old.hashes[i]) = old.hashes[i];
	free(old.hashes);
}

void graph_set_clear(struct graph_set *set)
{
	free(set->hashes);
	*set = (struct graph_set){ 0 };
}

bool graph_set_add(struct graph_set *set, const struct graph *g)
{
	uint64_t hash = hash_of(g), *slot;

	if (2 * set->nr >= set->room)
		grow(set);
	slot = slot_of(set, hash);
	if (*slot)
		return false;
	*slot = hash;
	set->nr++;
	return true;
}
