/* SPDX-License-Identifier: MIT */
/* Paths between events, by breadth-first search. */
#include <string.h>

#include "explore/search.h"
#include "report/why.h"

static struct {
	uint16_t from[MAX_EVENTS], queue[MAX_EVENTS];
	bool met[MAX_EVENTS];
	unsigned nr;
} walk;

static void meet(unsigned event, unsigned from)
{
	if (!event || walk.met[event])
		return;
	walk.met[event] = true;
	walk.from[event] = (uint16_t)from;
	walk.queue[walk.nr++] = (uint16_t)event;
}

/*
 * Meets the direct successors of an event: the next event of its thread, the first event of a
 * thread that it starts, and the reads of it.
 */
static void meet_later(unsigned at, bool by_all)
{
	const struct event *e = &graph->event[at];

	if (e->index < graph->count[e->thread])
		meet(graph->event_of[e->thread][e->index], at);
	if (e->kind == E_CREATE && e->value < MAX_THREADS && graph->count[e->value])
		meet(graph->event_of[e->value][0], at);
	for (unsigned i = 1; e->kind == E_WRITE && i < graph->n; i++)
		if (graph->event[i].kind == E_READ && graph->event[i].rf == at)
			meet(i, at);
	if (by_all && e->kind == E_WRITE)
		meet(e->co_next, at);
	if (by_all && e->kind == E_READ)
		meet(co_next_of(graph, e->rf, e->location), at);
}

unsigned path_between(unsigned from, unsigned to, bool by_all, unsigned path[MOST_PATH])
{
	unsigned length = 1;

	memset(&walk, 0, sizeof(walk));
	meet(from, 0);
	for (unsigned i = 0; i < walk.nr && !walk.met[to]; i++)
		meet_later(walk.queue[i], by_all);
	if (!walk.met[to])
		return 0;
	for (unsigned at = to; at != from; at = walk.from[at])
		length++;
	if (length > MOST_PATH)
		return 0;
	for (unsigned at = to, i = length; i--; at = walk.from[at])
		path[i] = at;
	return length;
}
