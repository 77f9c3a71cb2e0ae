/* SPDX-License-Identifier: MIT */
/*
 * RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing Sequential Consistency in C/C++11, PLDI 2017,
 * sections 3.2 and 3.3), in its own terms, with po for its sb and co for its mo:
 *
 *	rs   = [W] ; (po-loc ; [W])? ; (rf ; rmw)*	(C++20: without the po-loc)
 *	sw   = [release] ; ([F] ; po)? ; rs ; rf ; [R] ; (po ; [F])? ; [acquire]
 *	hb   = (po | sw)+
 *	eco  = (rf | co | fr)+
 *
 *	coherence	hb ; eco? is irreflexive
 *	atomicity	rmw and fr ; co have nothing in common
 *	no thin air	po | rf has no cycle
 *	SC		psc = psc_base | psc_F has no cycle, where
 *
 *	scb      = po | po-elsewhere ; hb ; po-elsewhere | hb-loc | co | fr
 *	psc_base = ([SC] | [F & SC] ; hb?) ; scb ; ([SC] | hb? ; [F & SC])
 *	psc_F    = [F & SC] ; (hb | hb ; eco ; hb) ; [F & SC]
 *
 * hb is kept as events are added (graph.c), the first three axioms as well (model.h); SC is here.
 */
#include "graph/relation.h"
#include "model/order.h"

struct psc {
	struct graph *g;
	const struct event **node;
	struct relation edges;		/* on as many nodes as there are SC events */
};

static bool hb(const struct event *a, const struct event *b)
{
	return a != b && vector_has(&b->clock, a);
}

/*
 * Returns the rank of an access in the coherence order of its location: a write, then the reads
 * of this write, then the next write.
 */
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
 * Returns the next event (@step 1) or the previous event (@step -1) of the thread of @e at
 * another location; or NULL. Choices, and what the kernel does, are no events of C11.
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

/* Whether co or fr, but not rf, leads from @a to @b. */
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

/* Whether scb leads from @x to @b or, if @b is a fence, to some event that happens before @b. */
static bool reaches(struct graph *g, const struct event *x, const struct event *b)
{
	if (x != b && scb(g, x, b))
		return true;
	for (unsigned i = 1; b->kind == E_FENCE && i < g->n; i++) {
		const struct event *y = &g->event[i];

		if (hb(y, b) && x != y && scb(g, x, y))
			return true;
	}
	return false;
}

/*
 * Whether psc_base leads from @a to @b. If @a is a fence, the events that happen after @a count,
 * too. This general form is slow, and is used only where accesses are SC.
 */
static bool psc_base(struct graph *g, const struct event *a, const struct event *b)
{
	if (reaches(g, a, b))
		return true;
	for (unsigned i = 1; a->kind == E_FENCE && i < g->n; i++)
		if (hb(a, &g->event[i]) && reaches(g, &g->event[i], b))
			return true;
	return false;
}

static void psc_edge(struct psc *psc, unsigned from, unsigned to)
{
	if (fences_may_pair(psc->node[from], psc->node[to]))
		relation_add(&psc->edges, from, to);
}

/*
 * Computes, for each fence, the least rank of the accesses of @l that happen after the fence, and
 * the greatest rank of those that happen before it.
 */
static void rank_fences(const struct psc *psc, unsigned l, unsigned *least, unsigned *most)
{
	const struct graph *g = psc->g;

	for (unsigned k = 0; k < psc->edges.nr; k++) {
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
 * Adds the edges between fences: a happens before b; or, at one location, an access that happens
 * after a comes before an access that happens before b.
 */
static void psc_fences(struct psc *psc)
{
	const struct graph *g = psc->g;
	static unsigned least[MAX_SC], most[MAX_SC];
	unsigned nr = psc->edges.nr;

	for (unsigned i = 0; i < nr; i++)
		for (unsigned j = 0; j < nr; j++)
			if (psc->node[i]->kind == E_FENCE && psc->node[j]->kind == E_FENCE &&
			    hb(psc->node[i], psc->node[j]))
				psc_edge(psc, i, j);
	for (unsigned l = 0; l < g->nr_locations; l++) {
		if (!g->head[l].last || !g->event[g->head[l].last].loc_prev ||
		    !g->locations[l].size)
			continue;
		rank_fences(psc, l, least, most);
		for (unsigned i = 0; i < nr; i++)
			for (unsigned j = 0; least[i] != ~0u && j < nr; j++)
				if (least[i] < most[j])
					psc_edge(psc, i, j);
	}
}

static bool is_node(const struct event *e)
{
	if (e->kind == E_CREATE || e->kind == E_CHOICE)
		return false;
	if (e->kind == E_READ && e->rmw == RMW_CAS && !(e->flags & F_EXCL))
		return e->fail_order & O_SC;
	return e->order & O_SC;
}

static bool psc_acyclic(struct graph *g)
{
	static const struct event *node[MAX_SC];
	static uint64_t after[MAX_SC * RELATION_WORDS(MAX_SC)];
	struct psc psc = { .g = g, .node = node };
	unsigned nr = 0;

	for (unsigned i = 1; i < g->n; i++)
		if (is_node(&g->event[i]))
			node[nr++] = &g->event[i];
	psc.edges = (struct relation){ .nr = nr, .after = after };
	relation_clear(&psc.edges);
	if (g->nr_sc_accesses)
		for (unsigned i = 0; i < nr; i++)
			for (unsigned j = 0; j < nr; j++)
				if (i != j && psc_base(g, node[i], node[j]))
					psc_edge(&psc, i, j);
	psc_fences(&psc);
	return !relation_cyclic(&psc.edges);
}

/*
 * Whether @e, the last event of its thread, may have closed a cycle of fences: a fence happens
 * before @e, and a later access of its location happens before another fence.
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

static bool rc11_allows(struct graph *g, unsigned changed, unsigned also)
{
	if (g->nr_sc_fences + g->nr_sc_accesses < 2)
		return true;
	if (!g->nr_sc_accesses && !may_close(g, &g->event[changed]) &&
	    (!also || !may_close(g, &g->event[also])))
		return true;
	return psc_acyclic(g);
}

const struct model model_rc11 = { .bit = CHECK_RC11, .name = "rc11", .allows = rc11_allows };
