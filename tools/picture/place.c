/* SPDX-License-Identifier: MIT */
#include "picture/layout.h"

#define PADDING 12

static int largest(int a, int b)
{
	return a > b ? a : b;
}

static int box_width(const struct picture_event *event)
{
	unsigned code = event->code ? text_characters(event->code) : 0;
	int what = text_width(text_characters(event->name) + 2 + text_characters(event->what),
			      ADVANCE_WHAT);

	if (event->place)
		what += 14 + text_width(text_characters(event->place), ADVANCE_LABEL);
	code = code > CODE_WIDTH ? CODE_WIDTH : code;
	return largest(112, 2 * PADDING + largest(what, text_width(code, ADVANCE_CODE)));
}

/* Returns the index of the gutter in which the edge ends. */
static unsigned gutter_of(const struct layout *layout, unsigned edge)
{
	return layout->picture->event[layout->picture->edge[edge].to].column +
		(layout->route[edge].side[1] > 0);
}

/*
 * Makes room for an edge within its column: beside the column for an arc, between two rows for its
 * label.
 */
static void make_room_within(struct layout *layout, unsigned edge)
{
	const struct route *route = &layout->route[edge];
	unsigned gutter = gutter_of(layout, edge), row;

	row = layout->picture->event[layout->picture->edge[edge].to].row;
	if (route->way == WAY_ARC)
		layout->gutter[gutter] = largest(layout->gutter[gutter],
						 26 + 22 * (int)route->lane);
	else if (route->way == WAY_DOWN)
		layout->gap[row] = largest(layout->gap[row], 20 + LINE * (int)route->nr_lines);
}

/* Makes room for the edges that cross a gutter, and for the widest of their labels. */
static void make_room_across(struct layout *layout, unsigned gutter)
{
	unsigned nr = 0;
	int room = 0;

	for (unsigned i = 0; i < layout->picture->nr_edges; i++) {
		const struct route *route = &layout->route[i];

		if ((route->way != WAY_NEAR && route->way != WAY_FAR) ||
		    gutter_of(layout, i) != gutter)
			continue;
		nr++;
		room = largest(room, largest(92, 46 + route->label.w));
	}
	/* the label is beside the arcs, if there are some */
	if (nr)
		layout->gutter[gutter] += room + 8 * ((int)nr - 1) - 26;
}

void layout_begin(struct layout *layout)
{
	const struct picture *picture = layout->picture;

	for (unsigned i = 0; i <= picture->nr_columns; i++)
		layout->gutter[i] = i && i < picture->nr_columns ? 26 : 20;
	for (unsigned i = 0; i < picture->nr_columns; i++)
		layout->column_w[i] = text_width(text_characters(picture->column[i]), ADVANCE_WHAT);
	for (unsigned i = 0; i < picture->nr_events; i++) {
		unsigned column = picture->event[i].column;

		layout->column_w[column] = largest(layout->column_w[column],
						   box_width(&picture->event[i]));
	}
	for (unsigned i = 0; i <= layout->nr_rows; i++)
		layout->gap[i] = !i ? 18 : i == layout->nr_rows ? 8 : 30;
	for (unsigned i = 0; i < picture->nr_edges; i++)
		make_room_within(layout, i);
	for (unsigned i = 1; i < picture->nr_columns; i++) {
		make_room_across(layout, i);
		layout->gutter[i] = largest(layout->gutter[i], 56);
	}
	for (unsigned i = 0; i <= layout->nr_rows; i++)
		layout->gap[i] += 14 * (int)layout->lanes[i];
}

void layout_boxes(struct layout *layout)
{
	const struct picture *picture = layout->picture;
	int x = 0, y = HEAD_HEIGHT;

	for (unsigned i = 0; i < picture->nr_columns; i++) {
		x += layout->gutter[i];
		layout->column_x[i] = x;
		x += layout->column_w[i];
	}
	for (unsigned i = 0; i <= layout->nr_rows; i++) {
		y += layout->gap[i];
		layout->row_y[i] = y;
		y += BOX_HEIGHT;
	}
	for (unsigned i = 0; i < picture->nr_events; i++) {
		const struct picture_event *event = &picture->event[i];

		layout->box[i] = (struct rect) {
			layout->column_x[event->column], layout->row_y[event->row],
			layout->column_w[event->column], BOX_HEIGHT,
		};
	}
}
