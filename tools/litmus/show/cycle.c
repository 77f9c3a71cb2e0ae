/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "show/show.h"

static void find_member(struct cycle *cycle, const struct execution *x, struct evaluation *e)
{
	const struct matrix *m = evaluation_of(e, cycle->axiom->node);
	bool is_set = e->rules->node[cycle->axiom->node].is_set;

	for (unsigned i = 0; i < x->n && !cycle->nr; i++) {
		if (is_set ? !(m->row[0] >> i & 1) : !m->row[i])
			continue;
		cycle->event[cycle->nr++] = i;
		if (is_set)
			break;
		cycle->event[cycle->nr++] = set_first(m->row[i]);
		edge_open(e, cycle->axiom->node, i, cycle->event[1], &cycle->opened[0]);
	}
	strcpy(cycle->label[0], "to");
}

void find_cycle(struct cycle *cycle, struct test *test, const struct rules *rules,
		const struct outcome *outcome)
{
	const struct execution *x = outcome->forbidden;
	struct evaluation *e = evaluation_new(rules, &x->facts, test->arena);

	memset(cycle, 0, sizeof(*cycle));
	cycle->axiom = &rules->axiom[outcome->broken];
	if (cycle->axiom->kind == AXIOM_EMPTY) {
		find_member(cycle, x, e);
		return;
	}
	cycle->nr = matrix_cycle(evaluation_of(e, cycle->axiom->node), x->n, cycle->event);
	for (unsigned i = 0; i < cycle->nr; i++) {
		unsigned from = cycle->event[i], to = cycle->event[(i + 1) % cycle->nr];

		edge_label(e, cycle->axiom->node, from, to, cycle->label[i],
			   sizeof(cycle->label[i]));
		edge_open(e, cycle->axiom->node, from, to, &cycle->opened[i]);
	}
}

const struct state *state_asked_for(const struct test *test, const struct outcome *outcome)
{
	for (const struct state *state = outcome->first; state; state = state->next)
		if (!test->prop || prop_holds(test->prop, state->value))
			return state;
	return NULL;
}
