/* SPDX-License-Identifier: MIT */
/*
 * Where the labels are: on their edge or beside it, near its middle, where few other edges pass;
 * never on a box, an arrow's head, or another label.
 */
#include "picture/layout.h"

#define SIDES 3			/* on the edge, right of it, left of it */

static bool touch(const struct rect *a, const struct rect *b, int room)
{
	return a->x < b->x + b->w + room && b->x < a->x + a->w + room &&
	       a->y < b->y + b->h + room && b->y < a->y + a->h + room;
}

static struct rect head_of(const struct route *route)
{
	struct point end = route->point[3 * route->nr];

	return (struct rect) { end.x - 7, end.y - 5, 14, 12 };
}

static struct rect around(const struct route *route)
{
	int left = route->point[0].x, right = left, top = route->point[0].y, bottom = top;

	for (unsigned i = 1; i <= 3 * route->nr; i++) {
		struct point p = route->point[i];

		left = p.x < left ? p.x : left;
		right = p.x > right ? p.x : right;
		top = p.y < top ? p.y : top;
		bottom = p.y > bottom ? p.y : bottom;
	}
	return (struct rect) { left, top, right - left + 1, bottom - top + 1 };
}

static bool is_free(const struct layout *layout, unsigned edge, const struct rect *rect,
		    const bool *placed)
{
	const struct picture *picture = layout->picture;

	for (unsigned i = 0; i < picture->nr_events; i++)
		if (touch(rect, &layout->box[i], 3))
			return false;
	for (unsigned i = 0; i < picture->nr_columns; i++) {
		struct rect head = { layout->column_x[i], 0, layout->column_w[i], HEAD_HEIGHT };

		if (touch(rect, &head, 2))
			return false;
	}
	for (unsigned i = 0; i < picture->nr_edges; i++) {
		struct rect head = head_of(&layout->route[i]);

		if (i != edge && placed[i] && touch(rect, &layout->route[i].label, 3))
			return false;
		if (touch(rect, &head, 0))
			return false;
	}
	return true;
}

/* Counts the points of other edges that the label would hide. */
static int hidden_points(const struct layout *layout, unsigned edge, const struct rect *rect)
{
	int hidden = 0;

	for (unsigned i = 0; i < layout->picture->nr_edges; i++) {
		const struct route *route = &layout->route[i];
		struct rect all = around(route);

		if (i == edge || !touch(rect, &all, 3))
			continue;
		for (unsigned step = 0; step <= STEPS * route->nr; step++) {
			struct point p = route_at(route, step);
			struct rect dot = { p.x, p.y, 1, 1 };

			hidden += touch(rect, &dot, 3);
		}
	}
	return hidden;
}

static struct rect label_at(const struct route *route, unsigned step, unsigned side)
{
	struct point p = route_at(route, step);
	struct rect rect = route->label;

	rect.x = side == 0 ? p.x - rect.w / 2 : side == 1 ? p.x + 7 : p.x - rect.w - 7;
	rect.y = p.y - rect.h / 2;
	return rect;
}

/* Returns how far the place @step and @side is from the best place of a label. */
static int cost_of(const struct route *route, unsigned step, unsigned side)
{
	int half = STEPS / 2, nr = (int)route->nr;
	int best = route->way != WAY_FAR ? half * nr : (int)step < half * nr ? half : 5 * half;
	int cost = (int)step > best ? (int)step - best : best - (int)step;

	/* a label leaves the ends of its edge visible */
	if (cost > half * 2 / 3)
		cost += 30;
	if (route->way == WAY_DOWN)
		cost += side == 1 ? 0 : 500;
	else if (route->way == WAY_ARC)
		cost += side == (route->side[0] < 0 ? 2u : 1u) ? 0 : side ? 80 : 6;
	else
		cost += side ? 18 : 0;
	return cost;
}

static bool find_place(struct layout *layout, unsigned edge, const bool *placed)
{
	struct route *route = &layout->route[edge];
	int best = -1;
	struct rect found = route->label;

	for (unsigned step = 1; step < STEPS * route->nr; step++)
		for (unsigned side = 0; side < SIDES; side++) {
			struct rect rect = label_at(route, step, side);
			int cost = cost_of(route, step, side);

			if ((best >= 0 && cost >= best) || !is_free(layout, edge, &rect, placed))
				continue;
			cost += 8 * hidden_points(layout, edge, &rect);
			if (best >= 0 && cost >= best)
				continue;
			best = cost;
			found = rect;
		}
	route->label = found;
	return best >= 0;
}

/* Makes room for a label that has found none. */
static void widen(struct layout *layout, unsigned edge, unsigned turn)
{
	const struct picture_edge *e = &layout->picture->edge[edge];
	const struct picture_event *event = layout->picture->event;
	const struct route *route = &layout->route[edge];
	unsigned end = route->way == WAY_FAR && turn & 2;
	unsigned column = event[end || e->from == PICTURE_INITIAL ? e->to : e->from].column +
		(route->side[end] > 0);

	if (route->way != WAY_DOWN)
		layout->gutter[column] += 20;
	if (turn & 1 || route->way == WAY_DOWN)
		layout->gap[event[e->to].row] += 12;
}

/* Places the labels of the arrows down the columns, or of the others. */
static bool place_labels(struct layout *layout, bool *placed, unsigned turn, bool down)
{
	bool all = true;

	for (unsigned i = 0; i < layout->picture->nr_edges; i++) {
		if (!layout->route[i].nr_lines || (layout->route[i].way == WAY_DOWN) != down)
			continue;
		placed[i] = find_place(layout, i, placed);
		if (!placed[i])
			widen(layout, i, turn);
		all = all && placed[i];
	}
	return all;
}

bool layout_labels(struct layout *layout, bool *placed, unsigned turn)
{
	bool down;

	for (unsigned i = 0; i < layout->picture->nr_edges; i++)
		placed[i] = false;
	/* first, because these have the fewest places */
	down = place_labels(layout, placed, turn, true);
	return place_labels(layout, placed, turn, false) && down;
}

static void take_in(struct rect *view, const struct rect *part)
{
	int right = view->x + view->w, bottom = view->y + view->h;

	right = part->x + part->w > right ? part->x + part->w : right;
	bottom = part->y + part->h > bottom ? part->y + part->h : bottom;
	view->x = part->x < view->x ? part->x : view->x;
	view->y = part->y < view->y ? part->y : view->y;
	view->w = right - view->x;
	view->h = bottom - view->y;
}

void layout_view(struct layout *layout)
{
	const struct picture *picture = layout->picture;
	unsigned last = picture->nr_columns - 1;

	layout->view = (struct rect) {
		layout->column_x[0], 0,
		layout->column_x[last] + layout->column_w[last] - layout->column_x[0], HEAD_HEIGHT,
	};
	for (unsigned i = 0; i < picture->nr_events; i++)
		take_in(&layout->view, &layout->box[i]);
	for (unsigned i = 0; i < picture->nr_edges; i++) {
		const struct route *route = &layout->route[i];

		if (route->nr_lines)
			take_in(&layout->view, &route->label);
		for (unsigned step = 0; step <= STEPS * route->nr; step++) {
			struct point p = route_at(route, step);
			struct rect dot = { p.x - 3, p.y - 3, 6, 6 };

			take_in(&layout->view, &dot);
		}
	}
}
