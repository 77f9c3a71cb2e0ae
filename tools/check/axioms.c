/* SPDX-License-Identifier: MIT */
/*
 * What a model demands beyond coherence: that some relation over the whole graph has no cycle.
 *
 *	rc11	psc, of SC accesses and SC fences (Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing
 *		Sequential Consistency in C/C++11, PLDI 2017, section 3.2)
 *	sc	po | rf | co | fr
 *	tso	ppo | rfe | co | fr (Owens, Sarkar, Sewell: A better x86 memory model, 2009), for
 *		the program as compilers translate it: read-modify-writes and SC stores are locked,
 *		SC fences are mfence
 *
 * No model has cycles in po | rf: graphs are built along it.
 */
#include <string.h>

#include "check.h"

#define MAX_NODES 64

/* ---- rc11 */

struct psc {
	struct graph *g;
	unsigned nr;
	const struct event *node[MAX_NODES];
	uint64_t after[MAX_NODES];	/* edges */
};

static bool hb(const struct event *a, const struct event *b)
{
	return a != b && vector_has(&b->clock, a);
}

/* In what coherence orders, a location's accesses have ranks: a write, then those who read it. */
static unsigned rank(const struct graph *g, const struct event *e)
{
	return 2 * co_pos(g, e) + (e->kind == E_READ);
}

static bool same_location(const struct event *a, const struct event *b)
{
	return is_access(a) && is_access(b) && a->location == b->location;
}

static bool po(const struct event *a, const struct event *b)
{
	return a->thread == b->thread && a->index < b->index;
}

/* The next event of @e's thread that is not at its location, or the one before; or NULL. */
static const struct event *elsewhere(struct graph *g, const struct event *e, int step)
{
	for (int i = e->index - 1 + step; i >= 0 && i < g->count[e->thread]; i += step) {
		const struct event *other = &g->event[g->event_of[e->thread][i]];

		if (!same_location(e, other))
			return other;
	}
	return NULL;
}

/* co or fr; not rf */
static bool overwritten_by(const struct graph *g, const struct event *a, const struct event *b)
{
	return same_location(a, b) && b->kind == E_WRITE && co_pos(g, a) < b->pos;
}

static bool scb(struct graph *g, const struct event *a, const struct event *b)
{
	const struct event *x, *y;

	if (po(a, b) || overwritten_by(g, a, b))
		return true;
	if (same_location(a, b))
		return hb(a, b);
	x = elsewhere(g, a, 1);
	y = elsewhere(g, b, -1);
	return x && y && hb(x, y);
}

/*
 * The general form: from every event behind @a (itself, and if it is a fence what happens after
 * it) to every event before @b. Slow; used where accesses are SC.
 */
static bool psc_base(struct graph *g, const struct event *a, const struct event *b)
{
	for (unsigned i = 1; i < g->n; i++) {
		const struct event *x = &g->event[i];

		if (x != a && !(a->kind == E_FENCE && hb(a, x)))
			continue;
		for (unsigned j = 1; j < g->n; j++) {
			const struct event *y = &g->event[j];

			if (y != b && !(b->kind == E_FENCE && hb(y, b)))
				continue;
			if (x != y && scb(g, x, y))
				return true;
		}
	}
	return false;
}

/*
 * Between fences: a happens before b, or something that happens after a comes before something
 * that happens before b, at one location.
 */
static void psc_fences(struct psc *psc)
{
	struct graph *g = psc->g;

	for (unsigned i = 0; i < psc->nr; i++)
		for (unsigned j = 0; j < psc->nr; j++)
			if (psc->node[i]->kind == E_FENCE && psc->node[j]->kind == E_FENCE &&
			    hb(psc->node[i], psc->node[j]))
				psc->after[i] |= 1ull << j;
	for (unsigned l = 0; l < g->nr_locations; l++) {
		unsigned least[MAX_NODES], most[MAX_NODES];

		if (!g->head[l].last || !g->event[g->head[l].last].loc_prev || !locations[l].size)
			continue;
		for (unsigned k = 0; k < psc->nr; k++) {
			least[k] = ~0u;
			most[k] = 0;
			if (psc->node[k]->kind != E_FENCE)
				continue;
			for (unsigned i = g->head[l].last; i; i = g->event[i].loc_prev) {
				const struct event *e = &g->event[i];
				unsigned r = rank(g, e);

				if (hb(psc->node[k], e) && r < least[k])
					least[k] = r;
				if (hb(e, psc->node[k]) && r > most[k])
					most[k] = r;
			}
		}
		for (unsigned i = 0; i < psc->nr; i++)
			for (unsigned j = 0; least[i] != ~0u && j < psc->nr; j++)
				if (least[i] < most[j])
					psc->after[i] |= 1ull << j;
	}
}

/* A light fence is ordered against heavy ones only. */
static bool fences_may_pair(const struct event *a, const struct event *b)
{
	if (!((a->flags | b->flags) & F_LIGHT))
		return true;
	return (a->flags | b->flags) & F_HEAVY;
}

static bool psc_has_cycle(struct psc *psc)
{
	for (unsigned i = 0; i < psc->nr; i++)
		for (unsigned j = 0; j < psc->nr; j++)
			if (!fences_may_pair(psc->node[i], psc->node[j]))
				psc->after[i] &= ~(1ull << j);
	for (unsigned k = 0; k < psc->nr; k++)
		for (unsigned i = 0; i < psc->nr; i++)
			if (psc->after[i] >> k & 1)
				psc->after[i] |= psc->after[k];
	for (unsigned i = 0; i < psc->nr; i++)
		if (psc->after[i] >> i & 1)
			return true;
	return false;
}

static bool psc_acyclic(struct graph *g)
{
	struct psc psc = { .g = g };

	if (g->nr_sc_fences + g->nr_sc_accesses < 2)
		return true;
	for (unsigned i = 1; i < g->n; i++) {
		const struct event *e = &g->event[i];

		if (!(e->order & O_SC) || e->kind == E_CREATE || e->kind == E_CHOICE)
			continue;
		/* a compare-exchange that failed has another order */
		if (e->kind == E_READ && e->rmw == RMW_CAS && !(e->flags & F_EXCL) &&
		    !(e->fail_order & O_SC))
			continue;
		if (psc.nr == MAX_NODES)
			give_up("too many seq_cst operations");
		psc.node[psc.nr++] = e;
	}
	if (g->nr_sc_accesses)
		for (unsigned i = 0; i < psc.nr; i++)
			for (unsigned j = 0; j < psc.nr; j++)
				if (i != j && psc_base(g, psc.node[i], psc.node[j]))
					psc.after[i] |= 1ull << j;
	psc_fences(&psc);
	return !psc_has_cycle(&psc);
}

/* ---- sc, tso */

static bool is_locked(const struct event *e)
{
	if (e->flags & F_EXCL)
		return true;
	if (e->kind == E_READ)
		return e->rmw != RMW_NONE;	/* cmpxchg that fails is locked, too */
	return e->kind == E_WRITE && (e->order & O_SC) && !(e->order & O_PLAIN);
}

/* ---- cycles */

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

static bool is_barrier(const struct event *e)
{
	if (e->kind == E_FENCE)
		return (e->order & O_SC) && !(e->flags & F_LIGHT);
	return is_access(e) && is_locked(e);
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

static bool on_no_cycle(struct graph *g, unsigned number)
{
	struct walk walk;

	walk.g = g;
	walk.from = number;
	memset(walk.seen, 0, g->n);
	return !comes_back(&walk, number);
}

/* ---- all models */

/*
 * Whether @e, the last event of its thread, may have closed a cycle of fences: some fence happens
 * before it, and something of its location that comes after it happens before another one.
 */
static bool may_close(struct graph *g, const struct event *e)
{
	bool behind = false, before = false;

	for (unsigned i = 1; i < g->n && !(behind && before); i++) {
		const struct event *f = &g->event[i];

		if (f->kind != E_FENCE || !(f->order & O_SC))
			continue;
		behind |= hb(f, e);
		for (unsigned k = g->head[e->location].last; k && !before; k = g->event[k].loc_prev)
			before = rank(g, &g->event[k]) > rank(g, e) && hb(&g->event[k], f);
	}
	return behind && before;
}

bool axioms_hold(struct graph *g, unsigned changed, unsigned also)
{
	if (options.model != CHECK_RC11)
		return on_no_cycle(g, changed) && (!also || on_no_cycle(g, also)) &&
		       (!heavy_fences || psc_acyclic(g));
	if (g->nr_sc_fences + g->nr_sc_accesses < 2)
		return true;
	if (!g->nr_sc_accesses && !may_close(g, &g->event[changed]) &&
	    (!also || !may_close(g, &g->event[also])))
		return true;
	return psc_acyclic(g);
}
