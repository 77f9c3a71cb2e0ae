// SPDX-License-Identifier: MIT
#include "show/show.h"

void print_witness(FILE *out, const struct test *test, const struct state *state)
{
	const struct execution *x = state->witness;
	char letter[64];

	fputs("    ", out);
	print_state(out, test, state->value);
	fputc('\n', out);
	for (unsigned i = test->nr_locations; i < x->n; i++) {
		fputs("      ", out);
		print_event(out, test, x, i);
		if (x->event[i].kind == EVENT_READ)
			fprintf(out, ", from %s", event_letter(test, (unsigned)x->rf[i], letter));
		fputc('\n', out);
	}
}

static void print_cycle(FILE *out, const struct test *test, const struct execution *x,
			struct evaluation *e, unsigned node)
{
	unsigned cycle[MATRIX_EVENTS], nr;
	char label[200];

	nr = matrix_cycle(evaluation_of(e, node), x->n, cycle);
	for (unsigned i = 0; i < nr; i++) {
		fputs("      ", out);
		print_event(out, test, x, cycle[i]);
		fprintf(out, "\n        %s\n",
			edge_label(e, node, cycle[i], cycle[(i + 1) % nr], label, sizeof(label)));
	}
}

/* What should be empty, and is not: one pair or event of it. */
static void print_member(FILE *out, const struct test *test, const struct execution *x,
			 struct evaluation *e, unsigned node)
{
	const struct matrix *m = evaluation_of(e, node);
	bool is_set = e->rules->node[node].is_set;

	for (unsigned i = 0; i < x->n; i++) {
		if (is_set ? !(m->row[0] >> i & 1) : !m->row[i])
			continue;
		fputs("      ", out);
		print_event(out, test, x, i);
		if (!is_set) {
			fputs("\n        to\n      ", out);
			print_event(out, test, x, set_first(m->row[i]));
		}
		fputc('\n', out);
		return;
	}
}

void print_forbidden(FILE *out, struct test *test, const struct rules *rules,
		     const struct outcome *outcome)
{
	const struct execution *x = outcome->forbidden;
	const struct axiom *axiom = &rules->axiom[outcome->broken];
	struct evaluation *e = evaluation_new(rules, &x->facts, test->arena);

	if (axiom->kind == AXIOM_EMPTY) {
		fprintf(out, "    forbidden by %s: this should not be\n", axiom->name);
		print_member(out, test, x, e, axiom->node);
		return;
	}
	fprintf(out, "    forbidden by %s: a cycle\n", axiom->name);
	print_cycle(out, test, x, e, axiom->node);
}
