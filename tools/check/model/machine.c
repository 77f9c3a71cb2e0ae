/* SPDX-License-Identifier: MIT */
/*
 * What a machine keeps in order, of which no cycle may come:
 *
 *	sc	po | rf | co | fr
 *	tso	ppo | rfe | co | fr (Owens, Sarkar, Sewell: A better x86 memory model, 2009), for
 *		the program as compilers translate it: read-modify-writes and SC stores are locked,
 *		SC fences are mfence
 */
#include <string.h>

#include "model/axioms.h"

static bool is_locked(const struct event *e)
{
	if (e->flags & F_EXCL)
		return true;
	if (e->kind == E_READ)
		return e->rmw != RMW_NONE;	/* cmpxchg that fails is locked, too */
	return e->kind == E_WRITE && (e->order & O_SC) && !(e->order & O_PLAIN);
}

static bool is_barrier(const struct event *e)
{
	if (e->kind == E_FENCE)
		return (e->order & O_SC) && !(e->flags & F_LIGHT);
	return is_access(e) && is_locked(e);
}

/* ---- cycles: a walk from an event, until it comes back */

struct walk {
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
 * The next read and the next write of the thread that stay behind @e; the others follow from
 * those. Only a write may be passed, by a read: not over a fence, and neither may be locked.
 */
static bool steps_in_thread(struct walk *walk, const struct event *e)
{
	struct graph *g = walk->g;
	bool read = false, write = false;
	bool keeps = options.model == CHECK_SC || e->kind != E_WRITE || is_locked(e);

	for (unsigned i = e->index; i < g->count[e->thread] && !(read && write); i++) {
		unsigned next = g->event_of[e->thread][i];
		const struct event *f = &g->event[next];

		keeps |= is_barrier(f);
		if (f->kind == E_CREATE)
			return step(walk, next);
		if (f->kind == E_WRITE && !write) {
			write = true;
			if (step(walk, next))
				return true;
			if (!keeps)
				return false;	/* what follows that write follows @e */
		} else if (f->kind == E_READ && !read && keeps) {
			read = true;
			if (step(walk, next))
				return true;
		}
	}
	return false;
}

/* A thread begins behind what started it. */
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
		    (options.model == CHECK_SC || r->thread != e->thread) && step(walk, i))
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

bool on_no_cycle(struct graph *g, unsigned number)
{
	struct walk walk;

	walk.g = g;
	walk.from = number;
	memset(walk.seen, 0, g->n);
	return !comes_back(&walk, number);
}

/* ---- membarrier: what one fence has before it, the other one has behind it, or the reverse */

static void reach_from(struct walk *walk, const struct event *fence)
{
	struct graph *g = walk->g;

	walk->from = 0;		/* which nothing reaches */
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

bool barriers_acyclic(struct graph *g)
{
	const struct event *node[MAX_NODES];
	uint64_t after[MAX_NODES] = { 0 };
	struct walk walk = { .g = g };
	unsigned nr = 0;

	for (unsigned i = 1; i < g->n; i++) {
		if (g->event[i].kind != E_FENCE || !(g->event[i].flags & (F_LIGHT | F_HEAVY)))
			continue;
		if (nr == MAX_NODES)
			fatal("too many signal fences beside a membarrier");
		node[nr++] = &g->event[i];
	}
	for (unsigned i = 0; i < nr; i++) {
		reach_from(&walk, node[i]);
		for (unsigned j = 0; j < nr; j++)
			if (i != j && fences_may_pair(node[i], node[j]) &&
			    reached_before(&walk, node[j]))
				after[i] |= 1ull << j;
	}
	return !has_cycle(after, nr);
}
