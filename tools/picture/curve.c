/* SPDX-License-Identifier: MIT */
/* The points of the edges: cubic curves that leave and enter boxes at right angles. */
#include "picture/layout.h"

#define ARROW 7			/* how far before its box a line ends: the head is drawn apart */

static int box_side(const struct rect *box, int side)
{
	return side < 0 ? box->x : box->x + box->w;
}

static struct point port_of(const struct layout *layout, unsigned edge, unsigned end)
{
	const struct picture_edge *e = &layout->picture->edge[edge];
	const struct route *route = &layout->route[edge];
	const struct rect *box = &layout->box[end ? e->to : e->from];

	return (struct point) {
		box_side(box, route->side[end]) + (end ? ARROW * route->side[end] : 0),
		box->y + box->h * route->port[end] / 256,
	};
}

/* Adds a curve that begins and ends level. */
static void add_level(struct route *route, int x, int y)
{
	struct point from = route->point[3 * route->nr];
	struct point *point = &route->point[3 * route->nr++ + 1];
	int bend = (x - from.x) * 55 / 100;

	point[0] = (struct point) { from.x + bend, from.y };
	point[1] = (struct point) { x - bend, y };
	point[2] = (struct point) { x, y };
}

/* Adds a curve by its points; the first one is there already, as the end of the last curve. */
static void add_curve(struct route *route, struct point a, struct point b, struct point end)
{
	struct point *point = &route->point[3 * route->nr++ + 1];

	point[0] = a;
	point[1] = b;
	point[2] = end;
}

static void curve_arc(struct layout *layout, unsigned edge)
{
	struct route *route = &layout->route[edge];
	struct point from = route->point[0], to = port_of(layout, edge, 1);
	int x = from.x + route->side[0] * (8 + 28 * (int)route->lane);

	add_curve(route, (struct point) { x, from.y }, (struct point) { x, to.y }, to);
}

static void curve_far(struct layout *layout, unsigned edge)
{
	const struct picture_edge *e = &layout->picture->edge[edge];
	const struct picture_event *event = layout->picture->event;
	struct route *route = &layout->route[edge];
	struct point to = port_of(layout, edge, 1);
	int side = route->side[0];
	unsigned first = event[e->from].column + (unsigned)side;
	unsigned last = event[e->to].column - (unsigned)side;
	int height = layout->gap[route->gap];
	int y = layout->row_y[route->gap] - height +
		height * (int)(route->lane + 1) / (int)(layout->lanes[route->gap] + 1);

	add_level(route, layout->column_x[first] + (side < 0 ? layout->column_w[first] : 0), y);
	add_level(route, layout->column_x[last] + (side > 0 ? layout->column_w[last] : 0), y);
	add_level(route, to.x, to.y);
}

/* Puts a downward arrow beside the earlier downward arrows from the same box, and their labels. */
static void curve_down(struct layout *layout, unsigned edge)
{
	const struct picture_edge *e = layout->picture->edge;
	struct route *route = &layout->route[edge];
	const struct rect *box = &layout->box[e[edge].from], *to = &layout->box[e[edge].to];
	int x = box->x + box->w / 2, y = box->y + box->h;

	for (unsigned i = 0; i < edge; i++)
		if (layout->route[i].way == WAY_DOWN && e[i].from == e[edge].from)
			x += 14 + layout->route[i].label.w;
	route->point[0] = (struct point) { x, y };
	add_curve(route, (struct point) { x, y }, (struct point) { x, to->y - ARROW },
		  (struct point) { x, to->y - ARROW });
}

static void curve_stub(struct layout *layout, unsigned edge)
{
	struct route *route = &layout->route[edge];
	const struct rect *box = &layout->box[layout->picture->edge[edge].to];
	int x = box->x + 14, y = box->y - 15;

	route->point[0] = (struct point) { box->x - 8, y };
	add_curve(route, (struct point) { x - 4, y }, (struct point) { x, y },
		  (struct point) { x, box->y - ARROW });
}

static void curve(struct layout *layout, unsigned edge)
{
	struct route *route = &layout->route[edge];

	route->nr = 0;
	if (route->way != WAY_DOWN && route->way != WAY_STUB)
		route->point[0] = port_of(layout, edge, 0);
	switch (route->way) {
	case WAY_DOWN: curve_down(layout, edge); break;
	case WAY_STUB: curve_stub(layout, edge); break;
	case WAY_ARC: curve_arc(layout, edge); break;
	case WAY_FAR: curve_far(layout, edge); break;
	case WAY_NEAR: {
		struct point to = port_of(layout, edge, 1);

		add_level(route, to.x, to.y);
	}
	}
}

void layout_curves(struct layout *layout)
{
	for (unsigned i = 0; i < layout->picture->nr_edges; i++)
		curve(layout, i);
}

static int cubic(int a, int b, int c, int d, int t)
{
	int u = STEPS - t;

	return (u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d) /
		(STEPS * STEPS * STEPS);
}

struct point route_at(const struct route *route, unsigned step)
{
	unsigned nr = step / STEPS < route->nr ? step / STEPS : route->nr - 1;
	const struct point *p = &route->point[3 * nr];
	int t = (int)(step - STEPS * nr);

	return (struct point) { cubic(p[0].x, p[1].x, p[2].x, p[3].x, t),
				cubic(p[0].y, p[1].y, p[2].y, p[3].y, t) };
}
