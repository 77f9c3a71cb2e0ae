/* SPDX-License-Identifier: MIT */
/*
 * A readable counterexample: the threads side by side, in an order in which the execution can
 * have happened; for each read the write that it reads; then the fault.
 */
#include <stdlib.h>
#include <string.h>

#include "explore/search.h"
#include "program/fault.h"
#include "program/threads.h"
#include "report/report.h"

#define NARROWEST	16	/* width of a column, in characters */
#define WIDEST		48

struct table {
	FILE *out;
	unsigned nr, width, columns[MAX_THREADS], nr_columns;
	uint16_t line_of[MAX_EVENTS];	/* a write's line in the table */
	uintptr_t pc[MAX_EVENTS];
	struct place *where;
};

static void number_lines(const struct event *e, void *arg)
{
	struct table *table = arg;
	const struct event *write = event_write_half(e);

	if (!event_is_shown(e))
		return;
	table->pc[table->nr++] = e->pc;
	table->line_of[number_of(graph, e)] = (uint16_t)table->nr;
	if (write)
		table->line_of[number_of(graph, write)] = (uint16_t)table->nr;
}

/* Says what an event does, and the write that it reads: "load x: 1 relaxed <- #7". */
static void show_event(struct table *table, const struct event *e, char *out, size_t size)
{
	char rf[24] = "";

	if (e->kind == E_READ && e->rf)
		snprintf(rf, sizeof(rf), " <- #%u", table->line_of[e->rf]);
	else if (e->kind == E_READ)
		snprintf(rf, sizeof(rf), " <- start");
	event_text(e, rf, out, size);
}

static void widen(const struct event *e, void *arg)
{
	struct table *table = arg;
	char text[256];
	unsigned length;

	if (!event_is_shown(e))
		return;
	show_event(table, e, text, sizeof(text));
	length = (unsigned)strlen(text) + 2;
	if (length > table->width)
		table->width = length < WIDEST ? length : WIDEST;
}

static void print_line(const struct event *e, void *arg)
{
	struct table *table = arg;
	char text[256];
	unsigned line, column;

	if (!event_is_shown(e))
		return;
	show_event(table, e, text, sizeof(text));
	line = table->line_of[number_of(graph, e)];
	column = table->columns[e->thread];
	fprintf(table->out, "# %3u  %*s%-*s %s\n", line, (int)(column * table->width), "",
		(int)((table->nr_columns - column) * table->width), text,
		table->where[line - 1].line);
}

static void print_heads(struct table *table)
{
	fprintf(table->out, "#      ");
	for (unsigned t = 0; t < MAX_THREADS; t++)
		if (graph->count[t]) {
			table->columns[t] = table->nr_columns++;
			fprintf(table->out, "%-*s", (int)table->width, thread_name(t));
		}
	fprintf(table->out, "\n");
}

void report_print(FILE *out)
{
	static struct table table;
	uintptr_t at[2] = { fault.pc, fault.other_pc };
	struct place where[2];

	memset(&table, 0, sizeof(table));
	table.out = out;
	table.width = NARROWEST;
	run_event_order(number_lines, &table);
	run_event_order(widen, &table);
	table.where = malloc((table.nr + 1) * sizeof(*table.where));
	places_of(table.pc, table.nr, table.where);
	places_of(at, 2, where);
	print_heads(&table);
	run_event_order(print_line, &table);
	fprintf(out, "# %s\n", fault.text);
	if (fault.other_pc)
		fprintf(out, "#   first:  %s\n#   second: %s\n", where[1].line,
			where[0].line);
	else if (fault.pc)
		fprintf(out, "#   at %s\n", where[0].line);
	free(table.where);
}
