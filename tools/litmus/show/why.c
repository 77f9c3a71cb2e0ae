/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "show/show.h"

static void print_events(FILE *out, const struct test *test, const struct execution *x)
{
	char letter[64];

	for (unsigned i = test->nr_cells; i < x->n; i++) {
		fputs("      ", out);
		print_event(out, test, x, i);
		if (x->event[i].kind == EVENT_READ)
			fprintf(out, ", from %s", event_letter(test, (unsigned)x->rf[i], letter));
		fputc('\n', out);
	}
}

void print_witness(FILE *out, const struct test *test, const struct state *state)
{
	fputs("    ", out);
	print_state(out, test, state->value);
	fputc('\n', out);
	print_events(out, test, state->witness);
}

void print_waiting(FILE *out, const struct test *test, const struct stuck *stuck)
{
	const char *comma = "";

	for (unsigned t = 0; t < test->nr_threads; t++) {
		if (!stuck->at[t])
			continue;
		fprintf(out, "%sP%u (line %u)", comma, t, text_line(test->text, stuck->at[t]));
		comma = ", ";
	}
}

void print_stuck(FILE *out, const struct test *test, const struct stuck *stuck)
{
	fputs("    stuck: a last turn, repeated for ever: ", out);
	print_waiting(out, test, stuck);
	fputc('\n', out);
	print_events(out, test, stuck->execution);
}

/* Prints what a relation is made of, unless it is one step of this name. */
static void print_opened(FILE *out, const struct test *test, const struct execution *x,
			 const char *label, const struct opened *opened)
{
	char letter[64];

	if (opened->nr < 2 && (!opened->nr || !strcmp(opened->step[0].label, label)))
		return;
	for (unsigned i = 0; i < opened->nr; i++) {
		unsigned to = opened->step[i].to;

		fprintf(out, "          %s -> ", opened->step[i].label);
		if (i + 1 < opened->nr)
			print_event(out, test, x, to);
		else
			fputs(event_letter(test, to, letter), out);
		fputc('\n', out);
	}
}

void print_forbidden(FILE *out, struct test *test, const struct rules *rules,
		     const struct outcome *outcome)
{
	struct cycle cycle;

	find_cycle(&cycle, test, rules, outcome);
	fprintf(out, "    forbidden by %s: %s\n", cycle.axiom->name,
		cycle.axiom->kind == AXIOM_EMPTY ? "this should not be" : "a cycle");
	for (unsigned i = 0; i < cycle.nr; i++) {
		fputs("      ", out);
		print_event(out, test, outcome->forbidden, cycle.event[i]);
		fputc('\n', out);
		if (*cycle.label[i])
			fprintf(out, "        %s\n", cycle.label[i]);
		print_opened(out, test, outcome->forbidden, cycle.label[i], &cycle.opened[i]);
	}
	print_grace(out, test, rules, outcome->forbidden, &cycle);
}
