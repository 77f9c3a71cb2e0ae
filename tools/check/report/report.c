/* SPDX-License-Identifier: MIT */
/*
 * A readable counterexample: the threads side by side, in an order in which the execution can
 * have happened; for each read the write that it reads; then the fault.
 */
#include <stdlib.h>
#include <string.h>

#include "explore/search.h"
#include "program/fault.h"
#include "program/locations.h"
#include "program/memory.h"
#include "program/names.h"
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

static const struct event *write_half(const struct event *e)
{
	return e->kind == E_READ && (e->flags & F_EXCL) && e->index < graph->count[e->thread] ?
		&graph->event[graph->event_of[e->thread][e->index]] : NULL;
}

static bool shown(const struct event *e)
{
	if (e->kind == E_CHOICE && (e->flags & F_STOP))
		return e->value;
	if (e->kind == E_WRITE && (e->flags & F_EXCL))
		return false;		/* shown together with its read */
	if (e->kind == E_WRITE && !locations[e->location].size)
		return hidden_kind(e->location) == HIDDEN_WAKE ||
		       hidden_kind(e->location) == HIDDEN_BARRIER;
	return true;
}

static void number_lines(const struct event *e, void *arg)
{
	struct table *table = arg;
	const struct event *write = write_half(e);

	if (!shown(e))
		return;
	table->pc[table->nr++] = e->pc;
	table->line_of[number_of(graph, e)] = (uint16_t)table->nr;
	if (write)
		table->line_of[number_of(graph, write)] = (uint16_t)table->nr;
}

static void show_value(char *out, size_t size, uint64_t value)
{
	if (value < 10)
		snprintf(out, size, "%lu", value);
	else if (memory_in_arena(value & ~3ul) || value > 0x10000)
		describe_address(value, out, size);
	else
		snprintf(out, size, "%#lx", value);
}

static void show_rf(struct table *table, const struct event *e, char *out, size_t size)
{
	if (e->rf)
		snprintf(out, size, " <- #%u", table->line_of[e->rf]);
	else
		snprintf(out, size, " <- start");
}

static const char *const rmw_names[] = {
	"", "xchg", "fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "fetch_nand",
	"cmpxchg", "futex_wait", "futex_leave", "futex_wake", "cond_wait"
};

/* Says what an access does, e.g. "cmpxchg sync 4 -> 0x14 release <- #7". */
static void show_access(struct table *table, const struct event *e, char *out, size_t size)
{
	const struct event *write = write_half(e);
	char name[48], value[48], stored[48] = "", rf[24] = "";
	unsigned order = e->order | (write ? write->order : 0);

	describe_location(e->location, name, sizeof(name));
	show_value(value, sizeof(value), e->value);
	if (e->kind == E_READ)
		show_rf(table, e, rf, sizeof(rf));
	if (e->rmw >= RMW_WAIT) {
		snprintf(out, size, "%s %s%s", rmw_names[e->rmw], name,
			 e->rmw == RMW_WAIT || e->rmw == RMW_QUEUE ? ": sleeps" : "");
	} else if (write) {
		show_value(stored, sizeof(stored), write->value);
		snprintf(out, size, "%s %s %s -> %s %s%s", rmw_names[e->rmw], name, value, stored,
			 order_name(order), rf);
	} else if (e->rmw) {
		snprintf(out, size, "%s %s fails: %s %s%s", rmw_names[e->rmw], name, value,
			 order_name(e->fail_order), rf);
	} else if (!locations[e->location].size) {
		bool end = hidden_kind(e->location) == HIDDEN_END;

		snprintf(out, size, e->kind == E_WRITE ? "wakes %s" : end ? "joins %s" : "woken%s",
			 e->kind == E_WRITE || end ? name : rf);
	} else if (e->kind == E_WRITE) {
		snprintf(out, size, "store %s = %s %s", name, value, order_name(order));
	} else {
		snprintf(out, size, "load %s: %s %s%s", name, value,
			 e->flags & F_KERNEL ? "(kernel)" : order_name(order), rf);
	}
}

static void show_event(struct table *table, const struct event *e, char *out, size_t size)
{
	switch (e->kind) {
	case E_FENCE:
		snprintf(out, size, "fence %s", e->flags & F_HEAVY ? "membarrier" :
			 e->flags & F_LIGHT ? "signal" : order_name(e->order));
		return;
	case E_CREATE:
		snprintf(out, size, "starts %s", thread_name((unsigned)e->value));
		return;
	case E_CHOICE:
		if (e->flags & F_STOP) {
			snprintf(out, size, "stops for ever");
			return;
		}
		snprintf(out, size, e->flags & F_FAILURE ? "spawn: %s" :
			 e->flags & F_SPURIOUS ? "wait: %s" :
			 e->flags & F_WEAK ? "cmpxchg_weak: %s" : "chooses %s%lu",
			 e->flags & F_FAILURE ? (e->value ? "fails" : "succeeds") :
			 e->flags & F_SPURIOUS ? (e->value ? "interrupted" : "goes on") :
			 e->flags & F_WEAK ? (e->value ? "fails" : "goes on") : "",
			 e->value);
		return;
	default:
		show_access(table, e, out, size);
	}
}

static void widen(const struct event *e, void *arg)
{
	struct table *table = arg;
	char text[256];
	unsigned length;

	if (!shown(e))
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

	if (!shown(e))
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
