/* SPDX-License-Identifier: MIT */
#include "show/drawing.h"

struct picture_edge *drawing_edge(struct drawing *drawing, enum picture_relation relation,
				  unsigned from, unsigned to)
{
	struct picture_edge *edge;

	if (drawing->picture.nr_edges == drawing->room) {
		drawing->room = drawing->room ? 2 * drawing->room : 64;
		drawing->edge = memory_wider(drawing->edge, drawing->room * sizeof(*drawing->edge));
	}
	edge = &drawing->edge[drawing->picture.nr_edges++];
	*edge = (struct picture_edge) {
		.relation = relation,
		.from = drawing->box[from] < 0 ? PICTURE_INITIAL : (unsigned)drawing->box[from],
		.to = (unsigned)drawing->box[to],
	};
	return edge;
}

static void add_program_order(struct drawing *drawing)
{
	const struct execution *x = drawing->x;

	for (unsigned i = drawing->test->nr_cells; i + 1 < x->n; i++)
		if (matrix_has(&x->facts.relation[BASE_PO], i, i + 1))
			drawing_edge(drawing, PICTURE_PO, i, i + 1);
}

/* Adds a relation. An order of writes begins at the first that has a box. */
static void add_relation(struct drawing *drawing, enum picture_relation relation, enum base base)
{
	const struct execution *x = drawing->x;
	const struct matrix *m = &x->facts.relation[base];

	for (unsigned i = 0; i < x->n; i++)
		for (event_set rest = m->row[i]; rest; rest &= rest - 1)
			if (base != BASE_CO || (drawing->box[i] >= 0 &&
						!matrix_between(m, x->n, i, set_first(rest))))
				drawing_edge(drawing, relation, i, set_first(rest));
}

/*
 * Adds an edge from each read to the write right after the write that it reads, unless the read and
 * this write are the two halves of one operation.
 */
static void add_fr(struct drawing *drawing)
{
	const struct execution *x = drawing->x;
	const struct matrix *co = &x->facts.relation[BASE_CO], *rmw = &x->facts.relation[BASE_RMW];

	for (unsigned i = drawing->test->nr_cells; i < x->n; i++) {
		if (x->event[i].kind != EVENT_READ || x->rf[i] < 0)
			continue;
		for (event_set rest = co->row[x->rf[i]] & ~rmw->row[i]; rest; rest &= rest - 1)
			if (!matrix_between(co, x->n, (unsigned)x->rf[i], set_first(rest)))
				drawing_edge(drawing, PICTURE_FR, i, set_first(rest));
	}
}

/*
 * Every event after a branch depends on the reads that the branch tests: adds an edge from each of
 * these reads to the first such event.
 */
static void add_control(struct drawing *drawing)
{
	const struct execution *x = drawing->x;

	for (unsigned i = 0; i < x->n; i++)
		if (x->facts.relation[BASE_CTRL].row[i])
			drawing_edge(drawing, PICTURE_CTRL, i,
				     set_first(x->facts.relation[BASE_CTRL].row[i]));
}

static void add_sections(struct drawing *drawing)
{
	struct matrix sections;

	find_sections(drawing->test, drawing->rules, drawing->x, &sections);
	for (unsigned i = 0; i < drawing->x->n; i++)
		for (event_set rest = sections.row[i]; rest; rest &= rest - 1)
			drawing_edge(drawing, PICTURE_SECTION, i, set_first(rest));
}

void drawing_relations(struct drawing *drawing)
{
	add_program_order(drawing);
	add_relation(drawing, PICTURE_RF, BASE_RF);
	add_relation(drawing, PICTURE_CO, BASE_CO);
	add_fr(drawing);
	add_relation(drawing, PICTURE_ADDR, BASE_ADDR);
	add_relation(drawing, PICTURE_DATA, BASE_DATA);
	add_control(drawing);
	add_relation(drawing, PICTURE_RMW, BASE_RMW);
	add_sections(drawing);
}
