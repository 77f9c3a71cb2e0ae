/* SPDX-License-Identifier: MIT */
/* Finds cycles of a machine's order: walks from an event until the walk comes back. */
#include <string.h>

#include "graph/relation.h"
#include "model/order.h"

struct walk {
	const struct machine *machine;
	struct graph *g;
	unsigned from;
	bool seen[MAX_EVENTS];
};

static bool comes_back(struct walk *walk, unsigned number);

static bool step(struct walk *walk, unsigned to)
{
	if (to == walk->from)
		return true;
	if (walk->seen[to])
		return false;
	walk->seen[to] = true;
	return comes_back(walk, to);
}

/*
 * Steps to the next read and the next write of the thread of @e that the machine's order puts after
 * @e. No step to a later event is needed, because the order of later events follows from these two.
 * A read may pass an event that the machine does not keep in order, but never a barrier.
 */
static bool steps_in_thread(struct walk *walk, const struct event *e)
{
	struct graph *g = walk->g;
	bool read = false, write = false;
	bool keeps = walk->machine->keeps(e);

	for (unsigned i = e->index; i < g->count[e->thread] && !(read && write); i++) {
		unsigned next = g->event_of[e->thread][i];
		const struct event *f = &g->event[next];

		keeps = keeps || walk->machine->is_barrier(f);
		if (f->kind == E_CREATE)
			return step(walk, next);
		if (f->kind == E_WRITE && !write) {
			write = true;
			if (step(walk, next))
				return true;
			if (!keeps)
				return false;	/* what follows the write follows @e */
		} else if (f->kind == E_READ && !read && keeps) {
			read = true;
			if (step(walk, next))
				return true;
		}
	}
	return false;
}

/* Steps to the first events of a thread, which come after the event that started it. */
static bool steps_in_child(struct walk *walk, unsigned child)
{
	struct event start = { .kind = E_CREATE, .thread = (uint8_t)child };

	return steps_in_thread(walk, &start);
}

static bool steps_to_readers(struct walk *walk, const struct event *e)
{
	struct graph *g = walk->g;

	for (unsigned i = g->head[e->location].last; i; i = g->event[i].loc_prev) {
		const struct event *r = &g->event[i];

		if (r->kind == E_READ && r->rf == number_of(g, e) &&
		    (walk->machine->own_rf || r->thread != e->thread) && step(walk, i))
			return true;
	}
	return false;
}

static bool comes_back(struct walk *walk, unsigned number)
{
	struct graph *g = walk->g;
	const struct event *e = &g->event[number];
	unsigned next;

	if (steps_in_thread(walk, e))
		return true;
	if (e->kind == E_CREATE)
		return steps_in_child(walk, (unsigned)e->value);
	/* co and fr */
	next = co_next_of(g, e->kind == E_READ ? e->rf : number, e->location);
	if (next && step(walk, next))
		return true;
	return e->kind == E_WRITE && steps_to_readers(walk, e);
}

bool on_no_cycle(const struct machine *machine, struct graph *g, unsigned number)
{
	struct walk walk;

	walk.machine = machine;
	walk.g = g;
	walk.from = number;
	memset(walk.seen, 0, g->n);
	return !comes_back(&walk, number);
}

/* ---- membarrier: fences are ordered if what is after one reaches what is before the other */

static void reach_from(struct walk *walk, const struct event *fence)
{
	struct graph *g = walk->g;

	walk->from = 0;		/* the initial writes, which nothing reaches */
	memset(walk->seen, 0, g->n);
	for (unsigned i = fence->index; i < g->count[fence->thread]; i++)
		if (is_access(&g->event[g->event_of[fence->thread][i]]))
			step(walk, g->event_of[fence->thread][i]);
}

static bool reached_before(const struct walk *walk, const struct event *fence)
{
	for (unsigned i = 0; i < fence->index - 1u; i++)
		if (walk->seen[walk->g->event_of[fence->thread][i]])
			return true;
	return false;
}

bool barriers_acyclic(const struct machine *machine, struct graph *g)
{
	static const struct event *node[MAX_FENCES];
	static uint64_t after[MAX_FENCES * RELATION_WORDS(MAX_FENCES)];
	unsigned nr = g->nr_barriers, k = 0;
	struct relation order = { .nr = nr, .after = after };
	struct walk walk = { .machine = machine, .g = g };

	relation_clear(&order);
	for (unsigned i = 1; i < g->n; i++)
		if (g->event[i].kind == E_FENCE && (g->event[i].flags & (F_LIGHT | F_HEAVY)))
			node[k++] = &g->event[i];
	for (unsigned i = 0; i < nr; i++) {
		reach_from(&walk, node[i]);
		for (unsigned j = 0; j < nr; j++)
			if (i != j && fences_may_pair(node[i], node[j]) &&
			    reached_before(&walk, node[j]))
				relation_add(&order, i, j);
	}
	return !relation_cyclic(&order);
}
