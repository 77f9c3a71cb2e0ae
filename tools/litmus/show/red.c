/* SPDX-License-Identifier: MIT */
/*
 * The cycle in red. An edge of the cycle may be a part of the model that is made of several steps.
 * Then each step is an edge here, and the first step says which part it is.
 */
#include <string.h>

#include "show/drawing.h"

static enum picture_relation relation_of(const char *name)
{
	static const struct { const char *name; enum picture_relation relation; } names[] = {
		{ "po", PICTURE_PO }, { "po-loc", PICTURE_PO }, { "po-near", PICTURE_PO },
		{ "rf", PICTURE_RF }, { "rfe", PICTURE_RF }, { "rfi", PICTURE_RF },
		{ "co", PICTURE_CO }, { "coe", PICTURE_CO }, { "coi", PICTURE_CO },
		{ "fr", PICTURE_FR }, { "fre", PICTURE_FR }, { "fri", PICTURE_FR },
		{ "addr", PICTURE_ADDR }, { "data", PICTURE_DATA }, { "ctrl", PICTURE_CTRL },
		{ "rmw", PICTURE_RMW }, { "amo", PICTURE_RMW }, { "lxsx", PICTURE_RMW },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i].name, name))
			return names[i].relation;
	return PICTURE_ORDER;
}

static struct picture_edge *edge_between(struct drawing *drawing, enum picture_relation relation,
					 unsigned from, unsigned to)
{
	for (unsigned i = 0; i < drawing->picture.nr_edges; i++) {
		struct picture_edge *edge = &drawing->edge[i];

		if (edge->relation == relation && (int)edge->from == drawing->box[from] &&
		    (int)edge->to == drawing->box[to])
			return edge;
	}
	return drawing_edge(drawing, relation, from, to);
}

/* Drops the edge of a fence that lies on the red way: the way says the same. */
static void drop_fenced(struct drawing *drawing, unsigned from, unsigned to)
{
	for (unsigned i = 0; i < drawing->picture.nr_edges; i++) {
		struct picture_edge *edge = &drawing->edge[i];

		if (edge->relation != PICTURE_FENCED || (int)edge->from != drawing->box[from] ||
		    (int)edge->to != drawing->box[to])
			continue;
		drawing->picture.nr_edges--;
		memmove(edge, edge + 1, (drawing->picture.nr_edges - i) * sizeof(*edge));
		return;
	}
}

/* Returns the label of a part's first step: the part, and the step unless the part says it. */
static const char *first_label(struct drawing *drawing, const char *label, const char *step,
			       bool within)
{
	char both[200];

	if (within || strstr(label, step))
		return label;
	if (!strcmp(label, "to"))	/* the axiom says that something is empty */
		return step;
	snprintf(both, sizeof(both), "%s: %s", label, step);
	return arena_text(drawing->test->arena, both, strlen(both));
}

/* Whether a part of several steps stays in its thread: then program order is drawn instead. */
static bool stays_within(const struct drawing *drawing, unsigned from, const struct opened *opened)
{
	for (unsigned i = 0; i < opened->nr; i++)
		if (drawing->x->thread[opened->step[i].to] != drawing->x->thread[from])
			return false;
	return opened->nr > 1;
}

static void draw_part(struct drawing *drawing, const char *label, unsigned from, unsigned to,
		      const struct opened *opened)
{
	bool within = stays_within(drawing, from, opened);
	unsigned at = from, nr = opened->nr < OPENED_STEPS ? opened->nr : 0;

	for (unsigned i = 0; i < nr; i++) {
		const char *step = opened->step[i].label;
		struct picture_edge *edge = edge_between(drawing, relation_of(step), at,
							 opened->step[i].to);

		/* a step may be on the way of two parts */
		if (!edge->red)
			edge->label = !i ? first_label(drawing, label, step, within) :
				edge->relation == PICTURE_PO ? "" : step;
		edge->red = true;
		if (i)
			drop_fenced(drawing, i > 1 ? opened->step[i - 2].to : from,
				    opened->step[i].to);
		at = opened->step[i].to;
	}
	if (!nr) {
		struct picture_edge *edge = edge_between(drawing, relation_of(label), from, to);

		edge->red = true;
		edge->label = label;
	}
}

void drawing_cycle(struct drawing *drawing)
{
	const struct cycle *cycle = drawing->cycle;
	unsigned nr = cycle->axiom->kind == AXIOM_EMPTY ? cycle->nr / 2 : cycle->nr;

	for (unsigned i = 0; i < nr; i++)
		draw_part(drawing, cycle->label[i], cycle->event[i],
			  cycle->event[(i + 1) % cycle->nr], &cycle->opened[i]);
}
