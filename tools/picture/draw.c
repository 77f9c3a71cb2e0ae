/* SPDX-License-Identifier: MIT */
#include "picture/layout.h"

/* Writes the attributes by which a program finds an edge. */
static void write_data(FILE *out, const struct picture *picture, const struct picture_edge *edge)
{
	fprintf(out, " data-edge=\"%s\" data-from=\"", relation_name(edge->relation));
	picture_text(out, edge->from == PICTURE_INITIAL ? "init" : picture->event[edge->from].name,
		   ~0u);
	fputs("\" data-to=\"", out);
	picture_text(out, picture->event[edge->to].name, ~0u);
	fputc('"', out);
}

/* Writes an arrow's head, whose tip is 8 pixels on from the end of the line. */
static void write_tip(FILE *out, const struct route *route)
{
	struct point end = route->point[3 * route->nr];
	int side = route->way == WAY_DOWN || route->way == WAY_STUB ? 0 : -route->side[1];

	end.x += 8 * side;
	end.y += side ? 0 : 8;
	fprintf(out, "<path class=\"nap-tip\" d=\"M%d %d", end.x, end.y);
	if (side)
		fprintf(out, "l%d -5v10z\"/>", -10 * side);
	else
		fputs("l-5 -10h10z\"/>", out);
}

static void write_line(FILE *out, const struct layout *layout, unsigned edge)
{
	const struct picture *picture = layout->picture;
	const struct picture_edge *e = &picture->edge[edge];
	const struct route *route = &layout->route[edge];

	fprintf(out, "\t\t<g class=\"nap-edge %s%s\"", relation_class(e->relation),
		e->red ? " nap-red" : "");
	if (picture->id)
		fprintf(out, " id=\"%s-edge-%u\"", picture->id, edge);
	write_data(out, picture, e);
	fputs("><title>", out);
	words_edge(out, picture, e);
	fprintf(out, "</title><path class=\"nap-line\" d=\"M%d %d", route->point[0].x,
		route->point[0].y);
	for (unsigned i = 1; i <= 3 * route->nr; i++)
		fprintf(out, "%s%d %d", i % 3 == 1 ? "C" : " ", route->point[i].x,
			route->point[i].y);
	fputs("\"/>", out);
	write_tip(out, route);
	if (route->way == WAY_STUB)
		fprintf(out, "<circle class=\"nap-tip\" cx=\"%d\" cy=\"%d\" r=\"3\"/>",
			route->point[0].x, route->point[0].y);
	fputs("</g>\n", out);
}

static void write_label(FILE *out, const struct layout *layout, unsigned edge)
{
	const struct picture_edge *e = &layout->picture->edge[edge];
	const struct route *route = &layout->route[edge];
	const struct rect *label = &route->label;

	fprintf(out, "\t\t<g class=\"nap-label %s%s\"", relation_class(e->relation),
		e->red ? " nap-red" : "");
	write_data(out, layout->picture, e);
	fprintf(out, "><rect class=\"nap-back\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
		"rx=\"3\"/>", label->x, label->y, label->w, label->h);
	for (unsigned i = 0; i < route->nr_lines; i++) {
		fprintf(out, "<text x=\"%d\" y=\"%d\">", label->x + 4,
			label->y + LINE * (int)i + 12);
		picture_text(out, route->line[i], ~0u);
		fputs("</text>", out);
	}
	fputs("</g>\n", out);
}

static void write_box_text(FILE *out, const struct picture_event *event, const struct rect *box)
{
	/* the text of an event without an instruction is in the middle */
	int y = box->y + (event->code ? 20 : 29);

	fprintf(out, "<text class=\"nap-what\" x=\"%d\" y=\"%d\"><tspan class=\"nap-dim\">",
		box->x + 12, y);
	picture_text(out, event->name, ~0u);
	fputs(":</tspan> ", out);
	picture_text(out, event->what, ~0u);
	fputs("</text>", out);
	if (event->place)
		text_element(out, "nap-place nap-dim", "end",
			     (struct point) { box->x + box->w - 10, y }, event->place, ~0u);
	if (event->code)
		text_element(out, "nap-code", "start", (struct point) { box->x + 12, box->y + 38 },
			     event->code, CODE_WIDTH);
}

static void write_box(FILE *out, const struct layout *layout, unsigned number)
{
	static const char *const shapes[] = { "nap-read", "nap-write", "nap-fence", "nap-other" };
	const struct picture *picture = layout->picture;
	const struct picture_event *event = &picture->event[number];
	const struct rect *box = &layout->box[number];

	fprintf(out, "\t\t<g class=\"nap-event %s%s\"", shapes[event->shape],
		layout->red[number] ? " nap-red" : "");
	if (picture->id)
		fprintf(out, " id=\"%s-event-%u\"", picture->id, number);
	fputs(" data-event=\"", out);
	picture_text(out, event->name, ~0u);
	fputs("\" data-thread=\"", out);
	picture_text(out, picture->column[event->column], ~0u);
	fputs("\" aria-label=\"", out);
	words_event(out, event);
	fputs("\"><title>", out);
	words_event(out, event);
	fprintf(out, "</title><rect class=\"nap-box\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
		"rx=\"%d\"/>", box->x, box->y, box->w, box->h,
		event->shape == PICTURE_FENCE ? BOX_HEIGHT / 2 : 7);
	write_box_text(out, event, box);
	fputs("</g>\n", out);
}

void draw_diagram(FILE *out, const struct layout *layout)
{
	const struct picture *picture = layout->picture;

	for (unsigned i = 0; i < picture->nr_columns; i++) {
		struct point middle = { layout->column_x[i] + layout->column_w[i] / 2, 20 };

		fputs("\t\t", out);
		text_element(out, "nap-head", "middle", middle, picture->column[i], ~0u);
		fputc('\n', out);
	}
	for (unsigned red = 0; red < 2; red++)
		for (unsigned i = 0; i < picture->nr_edges; i++)
			if (picture->edge[i].red == !!red)
				write_line(out, layout, i);
	for (unsigned i = 0; i < picture->nr_events; i++)
		write_box(out, layout, i);
	for (unsigned i = 0; i < picture->nr_edges; i++)
		if (layout->route[i].nr_lines)
			write_label(out, layout, i);
}
