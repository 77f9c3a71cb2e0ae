/* SPDX-License-Identifier: MIT */
/*
 * Looks for a cycle in what has to precede what in S: all pairs of seq_cst events, each time. That
 * is slower than the walk of psc.c, and plain enough to be compared with the standard's text.
 *
 * Of two events, @a precedes @b because of what happens before what, or because of the order of a
 * location: an access x for which @a counts comes before an access y for which @b counts. An access
 * counts for itself, a fence for the accesses that the model says. So of each location it is enough
 * to know the least rank of an x and the greatest rank of a y.
 *
 * The read and the write of a read-modify-write are two events here. What comes after the read in
 * the order of a location comes after the write, too, or is the write. So one event in their place
 * would bring no other cycles.
 */
#include <string.h>

#include "graph/relation.h"
#include "model/order.h"
#include "model/ranks.h"
#include "model/sc_order.h"

struct demands {
	const struct sc_order *rules;
	struct graph *g;
	unsigned nr;
	const struct event *node[MAX_EVENTS];	/* the SC events */
	unsigned least[MAX_LOCATIONS];		/* for the node at hand: the least rank of an x */
};

static bool is_of_program(const struct graph *g, const struct event *e)
{
	return is_access(e) && g->locations[e->location].size;
}

static void list_nodes(struct demands *d)
{
	d->nr = 0;
	for (unsigned i = 1; i < d->g->n; i++)
		if (is_sc_fence(&d->g->event[i]) || is_sc_access(&d->g->event[i]))
			d->node[d->nr++] = &d->g->event[i];
}

static void note_least(struct demands *d, const struct event *x)
{
	unsigned at = rank(d->g, x);

	if (at < d->least[x->location])
		d->least[x->location] = at;
}

static void begin_from(struct demands *d, const struct event *a)
{
	memset(d->least, 0xff, d->g->nr_locations * sizeof(d->least[0]));
	if (is_of_program(d->g, a))
		note_least(d, a);
	for (unsigned i = 1; a->kind == E_FENCE && i < d->g->n; i++)
		if (is_of_program(d->g, &d->g->event[i]) && d->rules->covers(a, &d->g->event[i]))
			note_least(d, &d->g->event[i]);
}

/* Whether the access @y comes, in the order of its location, after an x. */
static bool is_later(const struct demands *d, const struct event *y)
{
	return is_of_program(d->g, y) && (y->kind == E_WRITE || d->rules->of_reads) &&
	       rank(d->g, y) > d->least[y->location];
}

static bool leads_to(const struct demands *d, const struct event *b)
{
	if (b->kind != E_FENCE)
		return is_later(d, b);
	for (unsigned i = 1; i < d->g->n; i++)
		if (is_later(d, &d->g->event[i]) && d->rules->covers(&d->g->event[i], b))
			return true;
	return false;
}

static bool has_no_cycle(struct demands *d)
{
	static uint64_t after[MAX_EVENTS * RELATION_WORDS(MAX_EVENTS)];
	struct relation order = { .nr = d->nr, .after = after };

	relation_clear(&order);
	for (unsigned i = 0; i < d->nr; i++) {
		const struct event *a = d->node[i];

		begin_from(d, a);
		for (unsigned k = 0; k < d->nr; k++) {
			const struct event *b = d->node[k];

			if (a != b && fences_may_pair(a, b) &&
			    (d->rules->precedes(d->g, a, b) || leads_to(d, b)))
				relation_add(&order, i, k);
		}
	}
	return !relation_cyclic(&order);
}

/*
 * Whether the event can be part of a new cycle. Nothing happens after the event. So it has to be SC
 * itself, or an access for which an earlier fence counts.
 */
static bool matters(const struct graph *g, unsigned number)
{
	const struct event *e = &g->event[number];

	if (!is_of_program(g, e) || is_sc_access(e))
		return is_sc_access(e);
	for (unsigned i = 1; g->nr_sc_fences && i < g->n; i++)
		if (is_sc_fence(&g->event[i]) && hb(&g->event[i], e))
			return true;
	return false;
}

bool sc_order_exists(const struct sc_order *rules, struct graph *g, unsigned changed, unsigned also)
{
	static struct demands demands;

	if (g->nr_sc_fences + g->nr_sc_accesses < 2)
		return true;
	if (!matters(g, changed) && !(also && matters(g, also)))
		return true;
	demands.rules = rules;
	demands.g = g;
	list_nodes(&demands);
	return has_no_cycle(&demands);
}
