/* SPDX-License-Identifier: MIT */
/*
 * What a fence orders, by the model itself: two accesses, one before and one after the fence, that
 * an axiom orders in the test, and would not order without the fence. What one thread reads from
 * another has no part in this.
 */
#include <string.h>

#include "show/drawing.h"

/* Sets @order to what the model puts in order within threads, given these facts. */
static void order_within(struct drawing *drawing, const struct facts *facts, struct matrix *order)
{
	const struct rules *rules = drawing->rules;
	struct evaluation *e = evaluation_new(rules, facts, drawing->test->arena);

	memset(order, 0, sizeof(*order));
	for (unsigned i = 0; i < rules->nr_axioms; i++) {
		const struct matrix *m;

		if (rules->axiom[i].flag || rules->axiom[i].kind != AXIOM_ACYCLIC)
			continue;
		m = evaluation_of(e, rules->axiom[i].node);
		for (unsigned k = 0; k < facts->n; k++)
			order->row[k] |= m->row[k] & facts->relation[BASE_PO].row[k];
	}
	matrix_close(order, facts->n);
}

/* Makes a fence an event without any property. */
static void forget_fence(struct facts *facts, unsigned fence)
{
	event_set others = ~(1ull << fence);

	facts->set[BASE_F] &= others;
	for (unsigned i = 0; i < NR_TAGS; i++)
		facts->tag[i] &= others;
}

static bool is_access(const struct execution *x, unsigned event)
{
	return x->event[event].kind != EVENT_FENCE;
}

/* Adds the nearest pairs around the fence: no edge begins or ends within another. */
static void add_pairs(struct drawing *drawing, unsigned fence, const struct matrix *with,
		      const struct matrix *without)
{
	const struct execution *x = drawing->x;
	unsigned first = fence, last = fence;

	while (first && x->thread[first - 1] == x->thread[fence])
		first--;
	while (last + 1 < x->n && x->thread[last + 1] == x->thread[fence])
		last++;
	for (unsigned from = fence; from-- > first;)
		for (unsigned to = fence + 1; to <= last; to++)
			if (is_access(x, from) && is_access(x, to) && matrix_has(with, from, to) &&
			    !matrix_has(without, from, to)) {
				drawing_edge(drawing, PICTURE_FENCED, from, to);
				last = to - 1;
			}
}

void drawing_fences(struct drawing *drawing)
{
	const struct execution *x = drawing->x;
	struct matrix with, without;
	struct facts facts = x->facts;

	memset(&facts.relation[BASE_RF], 0, sizeof(facts.relation[BASE_RF]));
	memset(&facts.relation[BASE_CO], 0, sizeof(facts.relation[BASE_CO]));
	order_within(drawing, &facts, &with);
	for (unsigned i = drawing->test->nr_cells; i < x->n; i++) {
		struct facts less = facts;

		if (x->event[i].kind != EVENT_FENCE)
			continue;
		forget_fence(&less, i);
		order_within(drawing, &less, &without);
		add_pairs(drawing, i, &with, &without);
	}
}
