/* SPDX-License-Identifier: MIT */
/*
 * What RC11 demands beyond coherence: that psc, of SC accesses and SC fences, has no cycle (Lahav,
 * Vafeiadis, Kang, Hur, Dreyer: Repairing Sequential Consistency in C/C++11, PLDI 2017, section
 * 3.2).
 */
#include "model/axioms.h"


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

/*
 * The next event of @e's thread that is not at its location, or the one before; or NULL. What is
 * left to chance and what the kernel does are no events of C11.
 */
static const struct event *elsewhere(struct graph *g, const struct event *e, int step)
{
	for (int i = e->index - 1 + step; i >= 0 && i < g->count[e->thread]; i += step) {
		const struct event *other = &g->event[g->event_of[e->thread][i]];

		if (!same_location(e, other) && other->kind != E_CHOICE &&
		    !(other->flags & F_KERNEL))
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

/* What of the location @l is behind each fence, at least, and before it, at most: their ranks. */
static void rank_fences(const struct psc *psc, unsigned l, unsigned *least, unsigned *most)
{
	const struct graph *g = psc->g;

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
}

/*
 * Between fences: a happens before b, or something that happens after a comes before something
 * that happens before b, at one location.
 */
static void psc_fences(struct psc *psc)
{
	const struct graph *g = psc->g;

	for (unsigned i = 0; i < psc->nr; i++)
		for (unsigned j = 0; j < psc->nr; j++)
			if (psc->node[i]->kind == E_FENCE && psc->node[j]->kind == E_FENCE &&
			    hb(psc->node[i], psc->node[j]))
				psc->after[i] |= 1ull << j;
	for (unsigned l = 0; l < g->nr_locations; l++) {
		unsigned least[MAX_NODES], most[MAX_NODES];

		if (!g->head[l].last || !g->event[g->head[l].last].loc_prev || !locations[l].size)
			continue;
		rank_fences(psc, l, least, most);
		for (unsigned i = 0; i < psc->nr; i++)
			for (unsigned j = 0; least[i] != ~0u && j < psc->nr; j++)
				if (least[i] < most[j])
					psc->after[i] |= 1ull << j;
	}
}

bool has_cycle(uint64_t *after, unsigned nr)
{
	for (unsigned k = 0; k < nr; k++)
		for (unsigned i = 0; i < nr; i++)
			if (after[i] >> k & 1)
				after[i] |= after[k];
	for (unsigned i = 0; i < nr; i++)
		if (after[i] >> i & 1)
			return true;
	return false;
}

static bool psc_has_cycle(struct psc *psc)
{
	for (unsigned i = 0; i < psc->nr; i++)
		for (unsigned j = 0; j < psc->nr; j++)
			if (!fences_may_pair(psc->node[i], psc->node[j]))
				psc->after[i] &= ~(1ull << j);
	return has_cycle(psc->after, psc->nr);
}

static bool is_node(const struct event *e)
{
	if (e->kind == E_CREATE || e->kind == E_CHOICE)
		return false;
	if (e->kind == E_READ && e->rmw == RMW_CAS && !(e->flags & F_EXCL))
		return e->fail_order & O_SC;
	return e->order & O_SC;
}

bool psc_acyclic(struct graph *g)
{
	struct psc psc = { .g = g };

	if (g->nr_sc_fences + g->nr_sc_accesses < 2)
		return true;
	for (unsigned i = 1; i < g->n; i++) {
		if (!is_node(&g->event[i]))
			continue;
		if (psc.nr == MAX_NODES)
			give_up("too many seq_cst operations");
		psc.node[psc.nr++] = &g->event[i];
	}
	if (g->nr_sc_accesses)
		for (unsigned i = 0; i < psc.nr; i++)
			for (unsigned j = 0; j < psc.nr; j++)
				if (i != j && psc_base(g, psc.node[i], psc.node[j]))
					psc.after[i] |= 1ull << j;
	psc_fences(&psc);
	return !psc_has_cycle(&psc);
}

/*
 * Whether @e, the last event of its thread, may have closed a cycle of fences: some fence happens
 * before it, and something of its location that comes after it happens before another one.
 */
bool may_close(struct graph *g, const struct event *e)
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
