/* SPDX-License-Identifier: MIT */
/*
 * A counterexample as a picture: the events that the table has, by the same numbers. No read is
 * higher than the write that it reads.
 */
#include <stdlib.h>
#include <string.h>

#include "explore/search.h"
#include "picture/picture.h"
#include "program/fault.h"
#include "program/locations.h"
#include "program/scenario.h"
#include "program/threads.h"
#include "report/report.h"

/* A picture of more events is too large to be looked at: the last ones are drawn. */
#define MOST_BOXES	160
#define MOST_EDGES	(6 * MOST_BOXES)

static struct drawing {
	unsigned nr_shown, nr_left_out, nr, nr_edges, nr_columns;
	const struct event *shown[MAX_EVENTS];
	uint16_t box_of[MAX_EVENTS];		/* the box's number + 1; 0: it has none */
	uint16_t row_of[MAX_EVENTS], next_row[MAX_THREADS];
	unsigned column_of[MAX_THREADS];
	const char *column[MAX_THREADS];
	struct callers callers[MOST_BOXES];
	struct place where[MOST_BOXES + 2];	/* the last two are the fault's places */
	struct { char name[12], what[120]; } text[MOST_BOXES];
	struct picture_event box[MOST_BOXES + 1];
	struct picture_edge edge[MOST_EDGES];
	char outcome[600], places[220];
} *drawing;

/*
 * Puts the event below its thread's last shown event, and not above the event that it comes from.
 */
static void take_event(const struct event *e, void *unused)
{
	const struct event *write = event_write_half(e);
	unsigned row = drawing->next_row[e->thread], source = 0;

	(void)unused;
	if (e->index == 1 && graph->creator[e->thread])
		source = drawing->row_of[graph->creator[e->thread]] + 1u;
	else if (e->kind == E_READ && e->rf)
		source = drawing->row_of[e->rf];
	row = source > row ? source : row;
	drawing->row_of[number_of(graph, e)] = (uint16_t)row;
	if (write)
		drawing->row_of[number_of(graph, write)] = (uint16_t)row;
	drawing->next_row[e->thread] = (uint16_t)(row + event_is_shown(e));
	if (event_is_shown(e))
		drawing->shown[drawing->nr_shown++] = e;
}

static void add_edge(enum picture_relation relation, unsigned from, unsigned to)
{
	if (drawing->nr_edges < MOST_EDGES)
		drawing->edge[drawing->nr_edges++] = (struct picture_edge) {
			.relation = relation, .from = from, .to = to,
		};
}

/* Returns where the events of a thread are: a column of its own. */
static unsigned column_of(unsigned thread)
{
	unsigned *column = &drawing->column_of[thread];

	if (!*column) {
		drawing->column[drawing->nr_columns] = thread_name(thread);
		*column = ++drawing->nr_columns;
	}
	return *column - 1;
}

/* Returns "file.c:12" without the folders. */
static const char *file_of(const struct place *place)
{
	const char *slash = strrchr(place->line, '/');

	return slash ? slash + 1 : place->line;
}

static void add_box(const struct event *e, unsigned top)
{
	unsigned nr = drawing->nr++;
	const struct event *write = event_write_half(e);

	snprintf(drawing->text[nr].name, sizeof(drawing->text[nr].name), "#%u",
		 drawing->nr_left_out + nr + 1);
	event_text(e, "", drawing->text[nr].what, sizeof(drawing->text[nr].what));
	drawing->callers[nr] = event_callers(e, e->pc);
	drawing->box[nr] = (struct picture_event) {
		.column = column_of(e->thread), .row = drawing->row_of[number_of(graph, e)] - top,
		.shape = e->kind == E_FENCE ? PICTURE_FENCE : e->kind == E_READ && !write ?
			PICTURE_READ : is_access(e) ? PICTURE_WRITE : PICTURE_OTHER,
		.name = drawing->text[nr].name, .what = drawing->text[nr].what,
	};
	drawing->box_of[number_of(graph, e)] = (uint16_t)drawing->nr;
	if (write)
		drawing->box_of[number_of(graph, write)] = (uint16_t)drawing->nr;
}

/* Makes boxes of the events, threads from left to right by number. */
static void add_boxes(void)
{
	unsigned first = drawing->nr_shown > MOST_BOXES ? drawing->nr_shown - MOST_BOXES : 0;
	unsigned top = MAX_EVENTS;

	drawing->nr_left_out = first;
	for (unsigned t = 0; t < MAX_THREADS; t++)
		for (unsigned i = first; i < drawing->nr_shown; i++)
			if (drawing->shown[i]->thread == t)
				column_of(t);
	for (unsigned i = first; i < drawing->nr_shown; i++) {
		unsigned row = drawing->row_of[number_of(graph, drawing->shown[i])];

		top = row < top ? row : top;
	}
	for (unsigned i = first; i < drawing->nr_shown; i++)
		add_box(drawing->shown[i], top);
}

static bool crosses(unsigned a, unsigned b)
{
	return graph->event[a].thread != graph->event[b].thread;
}

/* Adds an edge if both events have a box, and not the same. */
static void add_between(enum picture_relation relation, unsigned from, unsigned to)
{
	unsigned a = drawing->box_of[from], b = drawing->box_of[to];

	if (a && b && a != b)
		add_edge(relation, a - 1, b - 1);
}

/* Adds the edges to an event: rf, and co and fr between different threads. */
static void add_edges_to(const struct event *e, unsigned number)
{
	const struct event *write = event_write_half(e);
	unsigned stored = write ? number_of(graph, write) : e->kind == E_WRITE ? number : 0;
	bool hidden = is_access(e) && !locations[e->location].size;
	unsigned before;

	if (e->kind == E_READ && e->rf)
		add_between(hidden ? PICTURE_START : PICTURE_RF, e->rf, number);
	else if (e->kind == E_READ && !hidden)
		add_edge(PICTURE_RF, PICTURE_INITIAL, drawing->box_of[number] - 1u);
	if (hidden)
		return;
	before = graph->event[stored].co_prev;
	if (before && crosses(before, stored) && !(write && e->rf == before))
		add_between(PICTURE_CO, before, stored);
	if (e->kind == E_READ && !write) {
		unsigned next = co_next_of(graph, e->rf, e->location);

		if (next && crosses(number, next))
			add_between(PICTURE_FR, number, next);
	}
}

static void add_edges(void)
{
	unsigned last[MAX_THREADS] = { 0 };

	for (unsigned i = drawing->nr_left_out; i < drawing->nr_shown; i++) {
		const struct event *e = drawing->shown[i];
		unsigned number = number_of(graph, e), box = drawing->box_of[number];

		if (last[e->thread])
			add_edge(PICTURE_PO, last[e->thread] - 1, box - 1);
		else if (graph->creator[e->thread])
			add_between(PICTURE_START, graph->creator[e->thread], number);
		last[e->thread] = box;
		add_edges_to(e, number);
	}
}

/* Adds a box for the fault, below the events of the thread that has done it. */
static void add_fault(void)
{
	struct picture_event *box = &drawing->box[drawing->nr];
	unsigned last = 0, row = 0;

	if (!fault.found || fault.by >= MAX_THREADS)
		return;
	for (unsigned i = 0; i < drawing->nr; i++)
		if (drawing->box[i].column == column_of(fault.by)) {
			last = i + 1;
			row = drawing->box[i].row + 1;
		}
	*box = (struct picture_event) {
		.column = column_of(fault.by), .row = row, .shape = PICTURE_OTHER, .name = "!",
		.what = "the fault", .code = fault.pc ? file_of(&drawing->where[MOST_BOXES]) : NULL,
		.red = true,
	};
	if (last)
		add_edge(PICTURE_PO, last - 1, drawing->nr);
	drawing->nr++;
}

static void say_outcome(void)
{
	snprintf(drawing->outcome, sizeof(drawing->outcome), "%s",
		 fault.found ? fault.text : "no fault");
	if (!fault.found)
		return;
	if (drawing->nr_left_out)
		snprintf(drawing->places, sizeof(drawing->places),
			 "the last %d of %u events; the fault is at %s", MOST_BOXES,
			 drawing->nr_shown, drawing->where[MOST_BOXES].line);
	else if (fault.other_pc)
		snprintf(drawing->places, sizeof(drawing->places), "first: %s; second: %s",
			 drawing->where[MOST_BOXES + 1].line, drawing->where[MOST_BOXES].line);
	else if (fault.pc)
		snprintf(drawing->places, sizeof(drawing->places), "at %s",
			 drawing->where[MOST_BOXES].line);
}

bool picture_save(FILE *out)
{
	struct picture picture = {
		.id = "nap", .name = scenario->name, .model = search.model->name,
		.verdict = fault.found ? "fault" : "no fault", .forbidden = fault.found, .red = "",
	};
	bool written;

	drawing = calloc(1, sizeof(*drawing));
	if (!drawing)
		return false;
	run_event_order(take_event, NULL);
	add_boxes();
	add_edges();
	places_of_callers(drawing->callers, drawing->nr, drawing->where);
	report_where(drawing->where + MOST_BOXES);
	for (unsigned i = 0; i < drawing->nr; i++)
		drawing->box[i].code = file_of(&drawing->where[i]);
	add_fault();
	say_outcome();
	picture.question = *drawing->places ? drawing->places : NULL;
	picture.outcome = drawing->outcome;
	picture.nr_columns = drawing->nr_columns;
	picture.column = drawing->column;
	picture.nr_events = drawing->nr;
	picture.event = drawing->box;
	picture.nr_edges = drawing->nr_edges;
	picture.edge = drawing->edge;
	written = drawing->nr && picture_write(out, &picture);
	free(drawing);
	return written;
}
