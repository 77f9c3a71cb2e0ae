/* SPDX-License-Identifier: MIT */
/*
 * Finds cycles of psc (rc11.c) by a walk along its edges, from the event that is new.
 *
 * The graph was allowed without that event, and the event is the last of its thread. So nothing
 * happens after it, and the edges between other events are what they were. A new cycle goes through
 * the event in one of two ways. Either the event is a node of psc itself. Or it is an access inside
 * an edge of psc that leaves a fence: the fence happens before the access, and the edge goes on by
 * eco. The walk starts with what comes after the event in co or fr, and looks for the way back.
 *
 * hb is not walked: it is at hand for every event, as a vector (graph.c). In each thread, the
 * events that happen after an event are all from some index on. The accesses of a thread that the
 * walk has reached are all from some index on, too, because psc orders the accesses of a thread as
 * po does. The walk keeps this index for each thread; it only falls. Fences are few, and are looked
 * at one by one.
 */
#include <string.h>

#include "model/order.h"
#include "model/psc.h"
#include "model/ranks.h"

struct walk {
	struct graph *g;
	/*
	 * Indices in a thread: the first access that is reached; the first whose edges were walked.
	 */
	unsigned reached[MAX_THREADS], left[MAX_THREADS];
	unsigned nr_fences;
	const struct event *fence[MAX_FENCES];
	bool fence_reached[MAX_FENCES], fence_left[MAX_FENCES];
};

static const struct event *event_at(const struct graph *g, unsigned thread, unsigned index)
{
	return &g->event[g->event_of[thread][index - 1]];
}

static bool same_location(const struct event *a, const struct event *b)
{
	return is_access(a) && is_access(b) && a->location == b->location;
}

/*
 * Returns the next event (@step 1) or the previous event (@step -1) of the thread of @e at another
 * location; or NULL. Skips choices and what the kernel does, which are no events of C11.
 */
static const struct event *elsewhere(const struct graph *g, const struct event *e, int step)
{
	for (int i = e->index + step; i >= 1 && i <= g->count[e->thread]; i += step) {
		const struct event *other = event_at(g, e->thread, (unsigned)i);

		if (!same_location(e, other) && other->kind != E_CHOICE &&
		    !(other->flags & F_KERNEL))
			return other;
	}
	return NULL;
}

/* Returns the event before @e at another location; if there is none, the thread's creation. */
static const struct event *before(const struct graph *g, const struct event *e)
{
	const struct event *other = elsewhere(g, e, -1);
	unsigned creator = g->creator[e->thread];

	return other || !creator ? other : &g->event[creator];
}

static void reach(struct walk *walk, const struct event *access)
{
	if (walk->reached[access->thread] > access->index)
		walk->reached[access->thread] = access->index;
}

/* ---- the edges that leave an access */

/* Reaches the accesses of the thread @u that follow @a by po-elsewhere ; hb ; po-elsewhere. */
static void reach_by_others(struct walk *walk, const struct event *a, unsigned u)
{
	const struct event *x = elsewhere(walk->g, a, 1), *y;

	for (unsigned i = walk->reached[u] - 1; x && i && hb(x, event_at(walk->g, u, i)); i--) {
		const struct event *b = event_at(walk->g, u, i);

		if (!is_sc_access(b))
			continue;
		y = before(walk->g, b);
		if (!y || (x != y && !hb(x, y)))
			return;		/* no earlier access follows @a, either */
		reach(walk, b);
	}
}

/* Reaches the accesses of the thread @u that happen after @a at its location. */
static void reach_by_location(struct walk *walk, const struct event *a, unsigned u)
{
	for (unsigned i = walk->reached[u] - 1; i && hb(a, event_at(walk->g, u, i)); i--)
		if (is_sc_access(event_at(walk->g, u, i)) &&
		    same_location(a, event_at(walk->g, u, i)))
			reach(walk, event_at(walk->g, u, i));
}

/* Whether @a comes, in scb, before some event that happens before the fence @b. */
static bool access_precedes(const struct graph *g, const struct event *a, const struct event *b)
{
	if (vector_get(&b->clock, a->thread) > a->index)
		return true;		/* a later event of its thread happens before @b */
	if (!g->locations[a->location].size)
		return false;
	for (unsigned i = g->head[a->location].last; i; i = g->event[i].loc_prev) {
		const struct event *y = &g->event[i];

		if (hb(y, b) && (hb(a, y) || (y->kind == E_WRITE && y->pos > co_pos(g, a))))
			return true;
	}
	return false;
}

/* Returns the first write that comes after the access @a by co or fr; 0: there is none. */
static unsigned next_write(const struct graph *g, const struct event *a)
{
	return co_next_of(g, a->kind == E_READ ? a->rf : number_of(g, a), a->location);
}

static void leave_access(struct walk *walk, const struct event *a)
{
	struct graph *g = walk->g;
	unsigned w = next_write(g, a);

	/* co and fr: the first write is enough, because the walk goes on from there */
	while (w && !is_sc_access(&g->event[w]))
		w = g->event[w].co_next;
	if (w)
		reach(walk, &g->event[w]);
	for (unsigned u = 0; u < MAX_THREADS; u++)
		if (u != a->thread && walk->reached[u] > 1) {
			reach_by_others(walk, a, u);
			reach_by_location(walk, a, u);
		}
	for (unsigned k = 0; k < walk->nr_fences; k++)
		if (!walk->fence_reached[k] && fences_may_pair(a, walk->fence[k]) &&
		    access_precedes(g, a, walk->fence[k]))
			walk->fence_reached[k] = true;
}

/* ---- the edges that leave a fence, or an access that happens after fences */

/*
 * @fence precedes, in eco, the access @y. So @fence precedes, in psc, @y itself if @y is an SC
 * write, and each fence that happens after @y.
 */
static void reach_through(struct walk *walk, const struct event *fence, const struct event *y)
{
	if (y->kind == E_WRITE && is_sc_access(y) && fences_may_pair(fence, y))
		reach(walk, y);
	for (unsigned k = 0; k < walk->nr_fences; k++)
		if (!walk->fence_reached[k] && fences_may_pair(fence, walk->fence[k]) &&
		    hb(y, walk->fence[k]))
			walk->fence_reached[k] = true;
}

/*
 * The walk takes no step from the fence @a to an event x that happens after @a: what comes after x
 * by co or fr comes after @a, too. If x is a fence that pairs with other fences than @a does, no
 * step to x is needed, either: what comes before @a comes before x.
 */
static void leave_fence(struct walk *walk, const struct event *a)
{
	static unsigned least[MAX_LOCATIONS];	/* rank of an access that happens after @a */
	const struct graph *g = walk->g;

	memset(least, 0xff, g->nr_locations * sizeof(least[0]));
	for (unsigned i = 1; i < g->n; i++) {
		const struct event *x = &g->event[i];

		if (is_access(x) && g->locations[x->location].size && hb(a, x) &&
		    rank(g, x) < least[x->location])
			least[x->location] = rank(g, x);
	}
	for (unsigned i = 1; i < g->n; i++)
		if (is_access(&g->event[i]) && rank(g, &g->event[i]) > least[g->event[i].location])
			reach_through(walk, a, &g->event[i]);
}

/* ---- the walk */

static void begin_walk(struct walk *walk)
{
	for (unsigned t = 0; t < MAX_THREADS; t++)
		walk->reached[t] = walk->left[t] = walk->g->count[t] + 1u;
	memset(walk->fence_reached, 0, walk->nr_fences);
	memset(walk->fence_left, 0, walk->nr_fences);
}

/* Walks the edges that leave those reached accesses of the thread that have not been left. */
static bool leave_accesses(struct walk *walk, unsigned thread)
{
	unsigned from = walk->reached[thread], to = walk->left[thread];

	walk->left[thread] = from;
	for (unsigned i = from; i < to; i++)
		if (is_sc_access(event_at(walk->g, thread, i)))
			leave_access(walk, event_at(walk->g, thread, i));
	return from < to;
}

static void go_on(struct walk *walk)
{
	bool more;

	do {
		more = false;
		for (unsigned t = 0; t < MAX_THREADS; t++)
			more |= leave_accesses(walk, t);
		for (unsigned k = 0; k < walk->nr_fences; k++)
			if (walk->fence_reached[k] && !walk->fence_left[k]) {
				more = walk->fence_left[k] = true;
				leave_fence(walk, walk->fence[k]);
			}
	} while (more);
}

/* Whether psc leads from the access @e, which is SC, back to it. */
static bool access_comes_back(struct walk *walk, const struct event *e)
{
	begin_walk(walk);
	leave_access(walk, e);
	go_on(walk);
	return walk->reached[e->thread] <= e->index;
}

/*
 * Whether psc leads, through @e, from a fence that happens before @e back to that fence. Only
 * fences count that pair with the same fences as @like does.
 */
static bool fence_comes_back(struct walk *walk, const struct event *e, const struct event *like)
{
	const struct graph *g = walk->g;

	begin_walk(walk);
	for (unsigned i = g->head[e->location].last; i; i = g->event[i].loc_prev)
		if (rank(g, &g->event[i]) > rank(g, e))
			reach_through(walk, like, &g->event[i]);
	go_on(walk);
	for (unsigned k = 0; k < walk->nr_fences; k++)
		if (walk->fence_reached[k] && hb(walk->fence[k], e) &&
		    !((walk->fence[k]->flags ^ like->flags) & (F_LIGHT | F_HEAVY)))
			return true;
	return false;
}

static void list_fences(struct walk *walk)
{
	const struct graph *g = walk->g;

	walk->nr_fences = 0;
	for (unsigned i = g->last_sc_fence; i; i = g->event[i].loc_prev)
		walk->fence[walk->nr_fences++] = &g->event[i];
}

bool psc_acyclic_at(struct graph *g, unsigned number)
{
	static struct walk walk;
	const struct event *e = &g->event[number];
	unsigned tried = 0;

	/*
	 * Nothing happens after @e, nor after a read of it: such a read is new, too. So a cycle
	 * goes on by a later write.
	 */
	if (!is_access(e) || !next_write(g, e))
		return true;
	walk.g = g;
	list_fences(&walk);
	if (is_sc_access(e) && access_comes_back(&walk, e))
		return false;
	if (!g->locations[e->location].size)
		return true;
	for (unsigned k = 0; k < walk.nr_fences; k++) {
		unsigned kind = 1u << (walk.fence[k]->flags & (F_LIGHT | F_HEAVY)) / F_LIGHT;

		if ((tried & kind) || !hb(walk.fence[k], e))
			continue;
		tried |= kind;
		if (fence_comes_back(&walk, e, walk.fence[k]))
			return false;
	}
	return true;
}
