/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "picture/layout.h"

#define MARGIN	20
#define TURNS	60		/* how often the picture is made wider, for the labels */
#define HEADING_WIDTH 110	/* characters */

/* The lines of the text above the diagram, which are no longer than the picture is wide. */
struct heading {
	int width, height;
	int name_width, model_width, verdict_width;
};

/*
 * Returns zeroed memory for @nr things of this size, from *@next on. With *@next NULL only adds to
 * *@size.
 */
static void *part(char **next, size_t *size, size_t nr, size_t one)
{
	size_t bytes = (nr * one + 15) & ~(size_t)15;
	void *begin = *next;

	*size += bytes;
	if (begin)
		*next += bytes;
	return begin;
}

/* Gives each array of the layout its part of the memory at @next; returns the size of all parts. */
static size_t share_out(struct layout *layout, bool **placed, char *next)
{
	const struct picture *picture = layout->picture;
	size_t size = 0, columns = picture->nr_columns + 1, rows = layout->nr_rows + 1;

	layout->column_x = part(&next, &size, columns, sizeof(int));
	layout->column_w = part(&next, &size, columns, sizeof(int));
	layout->gutter = part(&next, &size, columns, sizeof(int));
	layout->row_y = part(&next, &size, rows, sizeof(int));
	layout->gap = part(&next, &size, rows, sizeof(int));
	layout->lanes = part(&next, &size, rows, sizeof(unsigned));
	layout->box = part(&next, &size, picture->nr_events, sizeof(struct rect));
	layout->red = part(&next, &size, picture->nr_events, sizeof(bool));
	layout->route = part(&next, &size, picture->nr_edges, sizeof(struct route));
	*placed = part(&next, &size, picture->nr_edges, sizeof(bool));
	return size;
}

static void note_red(struct layout *layout)
{
	for (unsigned i = 0; i < layout->picture->nr_events; i++)
		layout->red[i] = layout->picture->event[i].red;
	for (unsigned i = 0; i < layout->picture->nr_edges; i++) {
		const struct picture_edge *edge = &layout->picture->edge[i];

		if (!edge->red)
			continue;
		layout->red[edge->to] = true;
		if (edge->from != PICTURE_INITIAL)
			layout->red[edge->from] = true;
	}
}

static void lay_out(struct layout *layout, bool *placed)
{
	note_red(layout);
	layout_routes(layout);
	layout_begin(layout);
	for (unsigned turn = 0; turn < TURNS; turn++) {
		layout_boxes(layout);
		layout_curves(layout);
		if (layout_labels(layout, placed, turn))
			break;
	}
	layout_view(layout);
}

static int wider(int width, const char *line)
{
	unsigned n = line ? text_characters(line) : 0;
	int wanted = text_width(n > HEADING_WIDTH ? HEADING_WIDTH : n, ADVANCE_SUB);

	return wanted > width ? wanted : width;
}

static struct heading measure_heading(const struct picture *picture, int diagram)
{
	struct heading heading = {
		.name_width = text_width(text_characters(picture->name), ADVANCE_TITLE),
		.model_width = text_width(text_characters(picture->model), ADVANCE_CODE) + 20,
		.verdict_width = text_width(text_characters(picture->verdict), ADVANCE_CODE) + 20,
		.height = 58,
	};

	heading.width = heading.name_width + heading.model_width + heading.verdict_width + 30;
	if (heading.width < diagram)
		heading.width = diagram;
	if (heading.width < 420)
		heading.width = 420;
	heading.width = wider(heading.width, picture->question);
	heading.width = wider(heading.width, picture->outcome);
	heading.height += picture->question ? 40 : 20;
	return heading;
}

static void write_pill(FILE *out, const char *class, int x, int width, const char *text)
{
	fprintf(out, "\t<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"22\" "
		"rx=\"11\"/>", class, x, MARGIN, width);
	text_element(out, "nap-note", "middle", (struct point) { x + width / 2, MARGIN + 15 }, text,
		     ~0u);
	fputc('\n', out);
}

/* Writes a line of the heading, and sets *@y to that of the next. */
static void write_line(FILE *out, const char *class, int *y, const char *text)
{
	fputc('\t', out);
	text_element(out, class, "start", (struct point) { MARGIN, *y }, text, HEADING_WIDTH);
	fputc('\n', out);
	*y += 20;
}

static void write_heading(FILE *out, const struct picture *picture, const struct heading *heading)
{
	int x = MARGIN + heading->name_width + 14, y = MARGIN + 17;

	write_line(out, "nap-name", &y, picture->name);
	write_pill(out, "nap-pill", x, heading->model_width, picture->model);
	write_pill(out, picture->forbidden ? "nap-pill nap-never" : "nap-pill nap-allowed",
		   x + heading->model_width + 8, heading->verdict_width, picture->verdict);
	y = MARGIN + 44;
	if (picture->question)
		write_line(out, "nap-sub", &y, picture->question);
	write_line(out, picture->forbidden ? "nap-sub nap-bad" : "nap-sub nap-dim", &y,
		   picture->outcome);
}

/* Writes the picture's name: test, model, verdict. */
static void write_title(FILE *out, const struct picture *picture)
{
	picture_text(out, picture->name, ~0u);
	fputs(" under ", out);
	picture_text(out, picture->model, ~0u);
	fputs(": ", out);
	picture_text(out, picture->verdict, ~0u);
}

static void write_begin(FILE *out, const struct picture *picture, int width, int height)
{
	const char *id = picture->id;

	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"nap-picture\" role=\"img\" "
		"viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" ", width, height, width, height);
	if (id) {
		fprintf(out, "id=\"%s\" aria-labelledby=\"%s-title %s-desc\">\n", id, id, id);
		fprintf(out, "\t<title id=\"%s-title\">", id);
		write_title(out, picture);
		fprintf(out, "</title>\n\t<desc id=\"%s-desc\">", id);
	} else {
		fputs("aria-label=\"", out);
		write_title(out, picture);
		fputs("\">\n\t<title>", out);
		write_title(out, picture);
		fputs("</title>\n\t<desc>", out);
	}
	words_write(out, picture);
	fputs("</desc>\n", out);
}

static void write_all(FILE *out, const struct layout *layout)
{
	const struct picture *picture = layout->picture;
	struct heading heading = measure_heading(picture, layout->view.w);
	int width = heading.width + 2 * MARGIN, legend = heading.height + layout->view.h + 22;
	int lines = legend_write(NULL, picture, 0, 0, heading.width);
	int height = legend + lines + MARGIN;

	write_begin(out, picture, width, height);
	style_write(out);
	fprintf(out, "\t<rect class=\"nap-paper\" width=\"%d\" height=\"%d\"/>\n", width, height);
	write_heading(out, picture, &heading);
	fprintf(out, "\t<g class=\"nap-diagram\" transform=\"translate(%d %d)\">\n",
		(width - layout->view.w) / 2 - layout->view.x, heading.height - layout->view.y);
	draw_diagram(out, layout);
	fputs("\t</g>\n", out);
	if (lines) {
		fprintf(out, "\t<path class=\"nap-rule\" d=\"M%d %dh%d\"/>\n", MARGIN, legend - 8,
			heading.width);
		fputs("\t<g class=\"nap-legend\">\n", out);
		legend_write(out, picture, MARGIN, legend + 14, heading.width);
		fputs("\t</g>\n", out);
	}
	fputs("</svg>\n", out);
}

bool picture_write(FILE *out, const struct picture *picture)
{
	struct layout layout = { .picture = picture };
	bool *placed;
	char *memory;

	for (unsigned i = 0; i < picture->nr_events; i++)
		if (picture->event[i].row >= layout.nr_rows)
			layout.nr_rows = picture->event[i].row + 1;
	memory = calloc(1, share_out(&layout, &placed, NULL));
	if (!memory)
		return false;
	share_out(&layout, &placed, memory);
	lay_out(&layout, placed);
	write_all(out, &layout);
	free(memory);
	return true;
}
