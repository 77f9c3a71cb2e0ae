/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "generate/columns.h"

void column_line(struct column *column, const char *format, ...)
{
	va_list arguments;

	/* An edge and its access have 6 lines at most, and there are CYCLE_EDGES edges at most. */
	if (column->nr == COLUMN_LINES)
		abort();
	va_start(arguments, format);
	vsnprintf(column->line[column->nr++], sizeof(column->line[0]), format, arguments);
	va_end(arguments);
}

unsigned column_register(struct column *column)
{
	return column->registers++;
}

unsigned column_address(struct column *column, unsigned location)
{
	if (column->address[location] < 0)
		column->address[location] = (int)column_register(column);
	return (unsigned)column->address[location];
}

int column_depends(struct column *column, enum edge_kind kind)
{
	int reg = column->kind == kind ? column->depends : -1;

	if (reg >= 0)
		column->depends = -1;
	return reg;
}

static void fill(struct column *column, struct cycle *cycle, const struct assembly *assembly)
{
	column->registers = assembly->first;
	column->depends = -1;
	for (unsigned i = 0; i < CYCLE_EDGES; i++)
		column->address[i] = -1;
	for (unsigned i = 0; i < cycle->nr_events; i++) {
		const struct edge *before = edge_before(cycle, i);

		if (cycle->event[i].thread != column->thread)
			continue;
		if (before)
			assembly->edge(column, cycle, i - 1);
		if (!is_rmw_write(cycle, i))
			assembly->event(column, cycle, i);
	}
}

static void print_addresses(FILE *out, const struct column *column, const struct assembly *assembly)
{
	const char *between = "";
	char name[16];

	for (unsigned i = 0; i < CYCLE_EDGES; i++) {
		if (column->address[i] < 0)
			continue;
		fprintf(out, "%s%u:%s=%c;", between, column->thread,
			assembly->register_name((unsigned)column->address[i], name, sizeof(name)),
			location_name(i));
		between = " ";
	}
	fputc('\n', out);
}

static void print_initial(FILE *out, const struct cycle *cycle, const struct column *columns,
			  const struct assembly *assembly)
{
	fputs("{", out);
	for (unsigned i = 0; i < cycle->nr_locations; i++)
		fprintf(out, " %c=0;", location_name(i));
	if (!assembly->has_addresses) {
		fputs(" }\n", out);
		return;
	}
	fputc('\n', out);
	for (unsigned i = 0; i < cycle->nr_threads; i++)
		print_addresses(out, &columns[i], assembly);
	fputs("}\n", out);
}

static unsigned width(const struct column *column)
{
	unsigned widest = 2;

	for (unsigned i = 0; i < column->nr; i++)
		if (strlen(column->line[i]) > widest)
			widest = (unsigned)strlen(column->line[i]);
	return widest;
}

/* Prints line @i of each column; before the first line, the threads' names. */
static void print_row(FILE *out, const struct column *columns, unsigned nr, int i)
{
	for (unsigned c = 0; c < nr; c++) {
		char name[16];
		const char *text = "";

		snprintf(name, sizeof(name), "P%u", c);
		if (i < 0)
			text = name;
		else if ((unsigned)i < columns[c].nr)
			text = columns[c].line[i];
		fprintf(out, " %-*s %s", (int)width(&columns[c]), text, c + 1 < nr ? "|" : ";\n");
	}
}

static void print_table(FILE *out, const struct column *columns, unsigned nr)
{
	unsigned lines = 0;

	for (unsigned i = 0; i < nr; i++)
		if (columns[i].nr > lines)
			lines = columns[i].nr;
	for (int i = -1; i < (int)lines; i++)
		print_row(out, columns, nr, i);
}

bool print_columns(FILE *out, struct cycle *cycle, const char *text,
		   const struct assembly *assembly)
{
	struct column columns[TEST_THREADS] = { 0 };

	for (unsigned i = 0; i < cycle->nr_threads; i++) {
		columns[i].thread = i;
		fill(&columns[i], cycle, assembly);
		if (columns[i].registers > assembly->first + assembly->nr)
			return cycle_refuse(cycle, NULL, "P%u needs more registers than %u", i,
					    assembly->nr);
	}
	fprintf(out, "%s %s\n\"%s\"\n", cycle->language->title, cycle->name, text);
	print_initial(out, cycle, columns, assembly);
	print_table(out, columns, cycle->nr_threads);
	print_question(out, cycle, assembly->register_name);
	return true;
}
