/* SPDX-License-Identifier: MIT */
/*
 * A picture for graphviz: a column for each thread, program order downwards, and the relations
 * between threads. Of po and co only the edges to the next event are drawn.
 */
#include <string.h>

#include "show/show.h"

static void quoted(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void print_node(FILE *out, const struct test *test, const struct execution *x,
		       unsigned event)
{
	const struct path_event *e = &x->event[event];
	char letter[64], value[96];

	fprintf(out, "\t\te%u [label=\"%s: ", event, event_letter(test, event, letter));
	if (e->kind == EVENT_FENCE) {
		size_t length = 0;

		while (e->from->at && e->from->at[length] && !strchr(";|\n(", e->from->at[length]))
			length++;
		fprintf(out, "%.*s", (int)length, e->from->at ? e->from->at : "fence");
	} else {
		fprintf(out, "%c %s = ", e->kind == EVENT_READ ? 'R' : 'W',
			test->cell[e->cell].name);
		quoted(out, value_text(test, x->value[event], e->size, value, sizeof(value)));
	}
	fputs("\"];\n", out);
}

static void print_dot_thread(FILE *out, const struct test *test, const struct execution *x,
			     int thread)
{
	int last = -1;

	fprintf(out, "\tsubgraph cluster_%d {\n\t\tlabel=\"%s%.0d\";\n", thread + 1,
		thread < 0 ? "initial" : "P", thread < 0 ? 0 : thread);
	if (!thread)
		fputs("\t\tlabel=\"P0\";\n", out);
	for (unsigned i = 0; i < x->n; i++) {
		if (x->thread[i] != thread)
			continue;
		print_node(out, test, x, i);
		if (last >= 0 && thread >= 0)
			fprintf(out, "\t\te%d -> e%u [label=\"po\", color=gray, weight=9];\n",
				last, i);
		last = (int)i;
	}
	fputs("\t}\n", out);
}

static void print_relation(FILE *out, const struct execution *x, enum base base, const char *style,
			   bool next)
{
	const struct matrix *m = &x->facts.relation[base];

	for (unsigned i = 0; i < x->n; i++)
		for (event_set rest = m->row[i]; rest; rest &= rest - 1)
			if (!next || !matrix_between(m, x->n, i, set_first(rest)))
				fprintf(out, "\te%u -> e%u [label=\"%s\", %s];\n", i,
					set_first(rest), base_name(base), style);
}

/* Prints the edge from each read to the write right after the write that it read. */
static void print_fr(FILE *out, const struct execution *x)
{
	const struct matrix *co = &x->facts.relation[BASE_CO];

	for (unsigned i = 0; i < x->n; i++) {
		if (x->rf[i] < 0)
			continue;
		for (event_set rest = co->row[x->rf[i]]; rest; rest &= rest - 1)
			if (!matrix_between(co, x->n, (unsigned)x->rf[i], set_first(rest)))
				fprintf(out, "\te%u -> e%u [label=\"fr\", "
					"color=orange, constraint=false];\n",
					i, set_first(rest));
	}
}

static void print_red_cycle(FILE *out, const struct cycle *cycle)
{
	unsigned nr = cycle->axiom->kind == AXIOM_EMPTY ? cycle->nr / 2 : cycle->nr;

	for (unsigned i = 0; i < nr; i++) {
		fprintf(out, "\te%u -> e%u [label=\"", cycle->event[i],
			cycle->event[(i + 1) % cycle->nr]);
		quoted(out, cycle->label[i]);
		fputs("\", color=red, fontcolor=red, penwidth=2, constraint=false];\n", out);
	}
}

void print_dot(FILE *out, const struct test *test, const struct execution *x, const char *title,
	       const struct cycle *cycle)
{
	fputs("digraph execution {\n\tnode [shape=box, fontname=monospace];\n\tlabel=\"", out);
	quoted(out, title);
	fputs("\";\n", out);
	for (int t = -1; t < (int)test->nr_threads; t++)
		print_dot_thread(out, test, x, t);
	print_relation(out, x, BASE_RF, "color=darkgreen, constraint=false", false);
	print_relation(out, x, BASE_CO, "color=blue, constraint=false", true);
	print_fr(out, x);
	print_relation(out, x, BASE_ADDR, "style=dashed", false);
	print_relation(out, x, BASE_DATA, "style=dashed", false);
	print_relation(out, x, BASE_CTRL, "style=dotted", false);
	print_relation(out, x, BASE_RMW, "color=brown", false);
	if (cycle)
		print_red_cycle(out, cycle);
	fputs("}\n", out);
}
