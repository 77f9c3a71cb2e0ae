/* SPDX-License-Identifier: MIT */
/*
 * Which way each edge goes. Edges that end at one side of a box do so in the order in which their
 * other ends lie, so that they do not cross there.
 */
#include "picture/layout.h"

static const struct picture_event *end_of(const struct layout *layout, unsigned edge, unsigned end)
{
	const struct picture_edge *e = &layout->picture->edge[edge];

	return &layout->picture->event[end ? e->to : e->from];
}

/* Whether an event is the next one of its column, downwards. */
static bool is_next(const struct picture *picture, const struct picture_event *from,
		    const struct picture_event *to)
{
	for (unsigned i = 0; i < picture->nr_events; i++) {
		const struct picture_event *e = &picture->event[i];

		if (e->column == from->column && e->row > from->row && e->row < to->row)
			return false;
	}
	return from->column == to->column && from->row < to->row;
}

static bool is_communication(enum picture_relation relation)
{
	return relation == PICTURE_RF || relation == PICTURE_CO || relation == PICTURE_FR;
}

static void measure_label(struct route *route, const char *text)
{
	unsigned widest = 0;

	route->nr_lines = text_lines(text, route->line, LABEL_WIDTH);
	for (unsigned i = 0; i < route->nr_lines; i++)
		if (text_characters(route->line[i]) > widest)
			widest = text_characters(route->line[i]);
	if (route->nr_lines)
		route->label = (struct rect) {
			.w = text_width(widest, ADVANCE_LABEL) + 8,
			.h = LINE * (int)route->nr_lines + 2,
		};
}

static void choose_way(struct layout *layout, unsigned edge)
{
	const struct picture_edge *e = &layout->picture->edge[edge];
	struct route *route = &layout->route[edge];
	const struct picture_event *from, *to;
	int side;

	measure_label(route, edge_label_of(e));
	route->way = WAY_STUB;
	if (e->from == PICTURE_INITIAL)
		return;
	from = end_of(layout, edge, 0);
	to = end_of(layout, edge, 1);
	if (from->column == to->column) {
		side = is_communication(e->relation) ? 1 : -1;
		route->way = is_next(layout->picture, from, to) ? WAY_DOWN : WAY_ARC;
		route->side[0] = route->side[1] = side;
		return;
	}
	side = from->column < to->column ? 1 : -1;
	route->way = (int)to->column == (int)from->column + side ? WAY_NEAR : WAY_FAR;
	route->side[0] = side;
	route->side[1] = -side;
}

/*
 * Chooses the gap through which the fewest other edges pass, of those between the rows of both
 * ends.
 */
static void choose_gap(struct layout *layout, unsigned edge)
{
	struct route *route = &layout->route[edge];
	unsigned a = end_of(layout, edge, 0)->row, b = end_of(layout, edge, 1)->row;
	unsigned low = a < b ? a + 1 : b < a ? b + 1 : a, high = a > b ? a : b > a ? b : a + 1;

	route->gap = low;
	for (unsigned gap = low + 1; gap <= high; gap++)
		if (layout->lanes[gap] < layout->lanes[route->gap])
			route->gap = gap;
	route->lane = layout->lanes[route->gap]++;
}

static void rows_of(const struct layout *layout, unsigned edge, unsigned *low, unsigned *high)
{
	unsigned a = end_of(layout, edge, 0)->row, b = end_of(layout, edge, 1)->row;

	*low = a < b ? a : b;
	*high = a < b ? b : a;
}

/* Whether two arcs at one side of a column would cross if they were in one lane. */
static bool arcs_meet(const struct layout *layout, unsigned edge, unsigned other)
{
	unsigned low, high, other_low, other_high;

	if (layout->route[other].way != WAY_ARC ||
	    layout->route[other].side[0] != layout->route[edge].side[0] ||
	    end_of(layout, other, 0)->column != end_of(layout, edge, 0)->column)
		return false;
	rows_of(layout, edge, &low, &high);
	rows_of(layout, other, &other_low, &other_high);
	return (low < other_high && other_low < high) || (low == other_low && high == other_high);
}

/* Gives the arcs that span @span rows their lanes: outside of the shorter arcs that they pass. */
static void choose_lanes(struct layout *layout, unsigned span)
{
	for (unsigned i = 0; i < layout->picture->nr_edges; i++) {
		struct route *route = &layout->route[i];
		unsigned low, high;

		if (route->way != WAY_ARC)
			continue;
		rows_of(layout, i, &low, &high);
		if (high - low != span)
			continue;
		route->lane = 1;
		for (unsigned k = 0; k < layout->picture->nr_edges; k++)
			if (k != i && arcs_meet(layout, i, k) &&
			    layout->route[k].lane >= route->lane)
				route->lane = layout->route[k].lane + 1;
	}
}

/* Returns a number by which the ends at a side are put in order, from the top. */
static unsigned height_of_other(const struct layout *layout, unsigned edge, unsigned end)
{
	const struct picture_edge *e = &layout->picture->edge[edge];
	const struct route *route = &layout->route[edge];

	if (route->way == WAY_FAR)
		return 2 * route->gap;
	if (e->from == e->to)
		return 2 * end_of(layout, edge, end)->row + 1 + end;
	return 2 * end_of(layout, edge, !end)->row + 1;
}

static bool has_port(const struct route *route)
{
	return route->way != WAY_STUB && route->way != WAY_DOWN;
}

/* Counts the ends at the same side of the same box: all of them, and those above this one. */
static void choose_port(struct layout *layout, unsigned edge, unsigned end)
{
	struct route *route = &layout->route[edge];
	unsigned all = 0, above = 0, height = height_of_other(layout, edge, end);

	for (unsigned i = 0; i < layout->picture->nr_edges; i++)
		for (unsigned k = 0; k < 2 && has_port(&layout->route[i]); k++) {
			unsigned other;

			if (end_of(layout, i, k) != end_of(layout, edge, end) ||
			    layout->route[i].side[k] != route->side[end])
				continue;
			other = height_of_other(layout, i, k);
			all++;
			above += other < height || (other == height && i < edge);
		}
	route->port[end] = (int)(256 * (above + 1) / (all + 1));
}

void layout_routes(struct layout *layout)
{
	unsigned nr = layout->picture->nr_edges;

	for (unsigned i = 0; i < nr; i++) {
		choose_way(layout, i);
		if (layout->route[i].way == WAY_FAR)
			choose_gap(layout, i);
	}
	for (unsigned span = 0; span < layout->nr_rows; span++)
		choose_lanes(layout, span);
	for (unsigned i = 0; i < nr; i++)
		for (unsigned end = 0; end < 2 && has_port(&layout->route[i]); end++)
			choose_port(layout, i, end);
}
