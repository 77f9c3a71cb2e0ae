/* SPDX-License-Identifier: MIT */
/*
 * A readable counterexample: the threads side by side, in an order in which the execution can
 * have happened; for each read the write that it reads; then the fault.
 */
#include <stdlib.h>
#include <string.h>

#include "explore/search.h"
#include "program/fault.h"
#include "program/memory.h"
#include "program/ops.h"
#include "program/threads.h"
#include "report/report.h"

#define NARROWEST	16	/* width of a column, in characters */
#define WIDEST		48

struct table {
	FILE *out;
	unsigned nr, width, columns[MAX_THREADS], nr_columns;
	uint16_t line_of[MAX_EVENTS];	/* a write's line in the table */
	unsigned first;			/* lines up to here are left out */
	struct callers callers[MAX_EVENTS];
	struct place *where;
};

struct callers event_callers(const struct event *e, uintptr_t pc)
{
	const struct callers *found = e ? callers_of(number_of(graph, e)) : NULL;

	if (found && found->pc[0] && (found->pc[0] == pc || !memory_is_code(pc)))
		return *found;
	return (struct callers){ { pc } };
}

static void number_lines(const struct event *e, void *arg)
{
	struct table *table = arg;
	const struct event *write = event_write_half(e);

	if (!event_is_shown(e))
		return;
	table->callers[table->nr++] = event_callers(e, e->pc);
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
	if (line <= table->first)
		return;
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

/* What is undecided may be an execution of thousands of operations, whose end matters. */
#define LONGEST 60

void report_where(struct place where[2])
{
	struct callers callers[2] = { fault.callers, fault.other_callers };

	if (!callers[0].pc[0] || (memory_is_code(fault.pc) && callers[0].pc[0] != fault.pc))
		callers[0] = (struct callers){ { fault.pc } };
	if (callers[1].pc[0] != fault.other_pc)
		callers[1] = (struct callers){ { fault.other_pc } };
	for (unsigned t = 0; fault.waits && t < MAX_THREADS; t++) {
		char text[sizeof(fault.text)];
		uintptr_t pc;

		if (thread_is_stuck(t, text, sizeof(text), &pc) && pc == fault.pc)
			callers[0] = event_callers(last_of(graph, t), pc);
	}
	places_of_callers(callers, 2, where);
}

/* Says what the other threads wait for. */
static void print_stuck(FILE *out)
{
	char text[sizeof(fault.text)];
	uintptr_t pc;

	for (unsigned t = 0; t < MAX_THREADS; t++) {
		struct callers callers;
		struct place where;

		if (!thread_is_stuck(t, text, sizeof(text), &pc) || !strcmp(text, fault.text))
			continue;
		callers = event_callers(last_of(graph, t), pc);
		places_of_callers(&callers, 1, &where);
		fprintf(out, "# %s\n#   at %s\n", text, where.line);
	}
}

static void print_table(FILE *out)
{
	static struct table table;

	memset(&table, 0, sizeof(table));
	table.out = out;
	table.width = NARROWEST;
	run_event_order(number_lines, &table);
	if (!table.nr)
		return;
	if (!fault.found && result.why && table.nr > LONGEST)
		table.first = table.nr - LONGEST;
	run_event_order(widen, &table);
	table.where = malloc((table.nr + 1) * sizeof(*table.where));
	places_of_callers(table.callers + table.first, table.nr - table.first,
			  table.where + table.first);
	print_heads(&table);
	if (table.first)
		fprintf(out, "#      ... %u operations\n", table.first);
	run_event_order(print_line, &table);
	free(table.where);
}

void report_print(FILE *out)
{
	struct place where[2];

	print_table(out);
	report_where(where);
	if (fault.found)
		fprintf(out, "# %s\n", fault.text);
	else if (result.why)
		fprintf(out, "# undecided: %s\n", result.why);
	if (!fault.found && !result.why)
		return;
	if (fault.other_pc)
		fprintf(out, "#   first:  %s\n#   second: %s\n", where[1].line,
			where[0].line);
	else if (fault.pc)
		fprintf(out, "#   at %s\n", where[0].line);
	if (fault.found && fault.waits)
		print_stuck(out);
}
