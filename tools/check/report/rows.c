/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "explore/search.h"
#include "graph/fatal.h"
#include "program/fault.h"
#include "program/memory.h"
#include "program/names.h"
#include "program/threads.h"
#include "report/rows.h"

struct taking {
	struct rows *rows;
	unsigned next_step[MAX_THREADS];	/* each thread's first step that is not taken */
	unsigned nr_events;
};

static const struct step *step_at(unsigned i)
{
	return &steps[i % MAX_STEPS];
}

static struct row *add_row(struct rows *rows, unsigned thread)
{
	struct row *row = &rows->row[rows->nr++];

	*row = (struct row){ .thread = thread };
	if (!rows->column[thread])
		rows->column[thread] = ++rows->nr_threads;
	return row;
}

/*
 * Whether the access is a row. An access to a stack is a row only if several threads access the
 * memory. A free is noted as several accesses, the first of which is a row.
 */
static bool is_row(unsigned i)
{
	const struct step *step = step_at(i), *before = i > first_step ? step_at(i - 1) : NULL;

	if (step->kind == STEP_FREE && before && before->kind == STEP_FREE &&
	    before->pc == step->pc && before->address + 8 == step->address)
		return false;
	return step->shared || !memory_is_stack(step->address);
}

/* Whether the access is an event, too: a plain write to an atomic location. */
static bool is_event(const struct step *step)
{
	const struct event *e = step->after < graph->count[step->thread] ?
		&graph->event[graph->event_of[step->thread][step->after]] : NULL;

	return e && e->kind == E_WRITE && (e->order & O_PLAIN) && e->pc == step->pc;
}

/* Takes the thread's accesses before its event @index. */
static void take_steps(struct taking *taking, unsigned thread, unsigned index)
{
	unsigned i = taking->next_step[thread];

	for (; i < nr_steps; i++) {
		const struct step *step = step_at(i);

		if (step->thread != thread)
			continue;
		if (step->after >= index)
			break;
		if (is_row(i) && !is_event(step)) {
			struct row *row = add_row(taking->rows, thread);

			row->step = step;
		}
	}
	taking->next_step[thread] = i;
}

static void take_event(const struct event *e, void *arg)
{
	struct taking *taking = arg;
	struct rows *rows = taking->rows;
	const struct event *write = event_write_half(e);

	take_steps(taking, e->thread, e->index);
	if (event_is_shown(e)) {
		struct row *row = add_row(rows, e->thread);

		row->e = e;
		row->number = ++taking->nr_events;
		rows->number_of[number_of(graph, e)] = (uint16_t)row->number;
		if (write)
			rows->number_of[number_of(graph, write)] = (uint16_t)row->number;
	}
	/* what the thread does after its last event; but the fault comes last */
	if (e->index < graph->count[e->thread] || e->thread != fault.by)
		take_steps(taking, e->thread, e->index + 1u);
}

/* Leaves out the first rows, if there are too many. */
static void shorten(struct rows *rows)
{
	if (rows->nr <= MOST_ROWS)
		return;
	rows->nr_left_out = rows->nr - MOST_ROWS;
	rows->nr = MOST_ROWS;
	memmove(rows->row, rows->row + rows->nr_left_out, rows->nr * sizeof(*rows->row));
}

static void find_places(struct rows *rows)
{
	struct callers *callers = calloc(rows->nr + 1, sizeof(*callers));
	struct place *where = calloc(rows->nr + 1, sizeof(*where));

	if (!callers || !where)
		fatal("no memory for a page");
	for (unsigned i = 0; i < rows->nr; i++) {
		const struct row *row = &rows->row[i];

		callers[i] = row->e ? event_callers(row->e, row->e->pc) :
			(struct callers){ { row->step->pc } };
	}
	places_of_callers(callers, rows->nr, where);
	for (unsigned i = 0; i < rows->nr; i++)
		rows->row[i].where = where[i];
	free(callers);
	free(where);
}

/* Leaves out the plain accesses of libraries, and numbers the others. */
static void drop_libraries(struct rows *rows)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < rows->nr; i++) {
		struct row *row = &rows->row[i];

		if (row->step && row->where.library)
			continue;
		if (row->step)
			row->number = ++rows->nr_plain;
		rows->row[kept++] = *row;
	}
	rows->nr = kept;
}

/* Sorts the columns from left to right by the threads' numbers. */
static void sort_columns(struct rows *rows)
{
	unsigned column = 0;

	for (unsigned t = 0; t < MAX_THREADS; t++)
		if (rows->column[t])
			rows->column[t] = ++column;
}

void rows_take(struct rows *rows)
{
	struct taking taking = { .rows = rows };

	*rows = (struct rows){ 0 };
	rows->row = calloc(MAX_EVENTS + MAX_STEPS, sizeof(*rows->row));
	if (!rows->row)
		fatal("no memory for a page");
	for (unsigned t = 0; t < MAX_THREADS; t++)
		taking.next_step[t] = first_step;
	run_event_order(take_event, &taking);
	for (unsigned t = 0; t < MAX_THREADS; t++)
		if (t != fault.by)
			take_steps(&taking, t, MAX_EVENTS);
	if (fault.by < MAX_THREADS)
		take_steps(&taking, fault.by, MAX_EVENTS);
	shorten(rows);
	sort_columns(rows);
	find_places(rows);
	drop_libraries(rows);
}

void rows_free(struct rows *rows)
{
	free(rows->row);
}

static void step_text(const struct step *step, char *out, size_t size)
{
	char name[128], value[128];

	describe_variable(step->address, name, sizeof(name));
	value_text(step->value, step->size, value, sizeof(value));
	if (step->kind == STEP_FREE)
		snprintf(out, size, "free %s", name);
	else if (step->kind == STEP_WRITE)
		snprintf(out, size, "write %s = %s", name, value);
	else
		snprintf(out, size, "read %s: %s", name, value);
}

void row_text(const struct rows *rows, const struct row *row, char *out, size_t size)
{
	const struct event *e = row->e;
	char rf[24] = "";

	if (!e) {
		step_text(row->step, out, size);
		return;
	}
	if (e->kind == E_READ && e->rf && rows->number_of[e->rf])
		snprintf(rf, sizeof(rf), " <- #%u", rows->number_of[e->rf]);
	else if (e->kind == E_READ && !e->rf)
		snprintf(rf, sizeof(rf), " <- start");
	event_text(e, rf, out, size);
}

struct row *row_of_step(const struct rows *rows, unsigned thread, unsigned after, uintptr_t pc)
{
	for (unsigned i = rows->nr; i--; ) {
		const struct row *row = &rows->row[i];

		if (row->step && row->thread == thread && row->step->after == after &&
		    row->step->pc == pc)
			return &rows->row[i];
	}
	return NULL;
}
