/* SPDX-License-Identifier: MIT */
/* One panel a work, one below the other: on the left its curves, on the right its heat map. */
#include <math.h>
#include <string.h>

#include "report/report.h"

#define PANEL		300
#define LEFT		50
#define PLOT_W		300
#define PLOT_H		220
#define MAP_X		(LEFT + PLOT_W + 340)
#define CELL_W		46
#define CELL_H		14
#define MAP_FIELDS	16u
#define WIDTH		(MAP_X + 12 * CELL_W)

static const char *const colours[] = { "#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#b9770e",
				       "#555555" };

struct panel {
	const struct row *rows;		/* the rows of all works */
	unsigned n;
	const struct sim_work *work;
	double most_cpus, most_speed_up;
	int top;
};

static double speed_up(const struct panel *p, const struct row *row)
{
	double first = report_speed(report_first(p->rows, row));

	return first > 0 ? report_speed(row) / first : 0;
}

/* Both axes are logarithmic, so that the ideal is a straight line. */
static double x_of(const struct panel *p, double cpus)
{
	return LEFT + (p->most_cpus > 1 ? log2(cpus) / log2(p->most_cpus) : 0) * PLOT_W;
}

static double y_of(const struct panel *p, double up)
{
	double share = p->most_speed_up > 1 && up > 0 ? log2(up) / log2(p->most_speed_up) : 0;

	return p->top + 40 + PLOT_H - (share < 0 ? 0 : share) * PLOT_H;
}

static void axes(FILE *out, const struct panel *p)
{
	fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"title\">%s</text>\n", LEFT, p->top + 20,
		p->work->name);
	for (double n = 1; n <= p->most_speed_up; n *= 2)
		fprintf(out,
			"<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>"
			"<text x=\"%d\" y=\"%.1f\" class=\"end\">%.0f</text>\n",
			LEFT, LEFT + PLOT_W, y_of(p, n), y_of(p, n), LEFT - 6, y_of(p, n) + 4, n);
	for (double n = 1; n <= p->most_cpus; n *= 2)
		fprintf(out, "<text x=\"%.1f\" y=\"%d\" class=\"middle\">%.0f</text>\n", x_of(p, n),
			p->top + 40 + PLOT_H + 16, n);
	fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"ideal\"/>\n",
		x_of(p, 1), y_of(p, 1), x_of(p, p->most_cpus), y_of(p, p->most_cpus));
}

/* One line for each pool, with its name at the last point. */
static void curves(FILE *out, const struct panel *p)
{
	const struct row *last = NULL;
	unsigned colour = 0;

	for (unsigned i = 0; i < p->n; i++) {
		const struct row *row = &p->rows[i];

		if (row->run.work != p->work)
			continue;
		if (last && last->run.pool == row->run.pool)
			fprintf(out,
				"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
				"stroke=\"%s\" stroke-width=\"2\"/>\n",
				x_of(p, last->r.cpus), y_of(p, speed_up(p, last)),
				x_of(p, row->r.cpus), y_of(p, speed_up(p, row)), colours[colour]);
		else if (last)
			colour = (colour + 1) % (sizeof(colours) / sizeof(colours[0]));
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
			x_of(p, row->r.cpus), y_of(p, speed_up(p, row)), colours[colour]);
		if (i + 1 == p->n || row[1].run.work != p->work || row[1].run.pool != row->run.pool)
			fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s %.1f</text>\n",
				x_of(p, row->r.cpus) + 8, y_of(p, speed_up(p, row)) + 4,
				colours[colour], row->run.work->alone ? "" : row->run.pool->name,
				speed_up(p, row));
		last = row;
	}
}

static double moves(const struct row *row, const char *field)
{
	for (unsigned i = 0; i < row->r.nr_fields; i++)
		if (!strcmp(row->r.field[i].name, field))
			return row->r.tasks ? (double)report_transfers(row->r.field[i].moved) /
			       (double)row->r.tasks : 0;
	return 0;
}

static void cell(FILE *out, int x, int y, double value)
{
	/* From 0.001 to 10 lines a task: from white to red. */
	double heat = value > 0.001 ? (log10(value) + 3) / 4 : 0;
	int light = 255 - (int)((heat > 1 ? 1 : heat) * 200);

	fprintf(out,
		"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"rgb(255,%d,%d)\"/>"
		"<text x=\"%d\" y=\"%d\" class=\"middle\">%.3g</text>\n",
		x, y, CELL_W - 1, CELL_H - 1, light, light, x + CELL_W / 2, y + 11, value);
}

/* The rows are the fields that move most in the last run on the first pool. */
static void heat_map(FILE *out, const struct panel *p)
{
	const struct row *first = NULL, *last = NULL;

	for (unsigned i = 0; i < p->n; i++) {
		if (p->rows[i].run.work != p->work ||
		    (first && p->rows[i].run.pool != first->run.pool))
			continue;
		first = first ? first : &p->rows[i];
		last = &p->rows[i];
	}
	fprintf(out,
		"<text x=\"%d\" y=\"%d\" class=\"end\">lines moved a task, by field, on %s; CPUs:"
		"</text>\n",
		MAP_X - 8, p->top + 32,
		first->run.work->alone ? "its own threads" : first->run.pool->name);
	for (unsigned f = 0; f < last->r.nr_fields && f < MAP_FIELDS; f++) {
		int y = p->top + 40 + (int)f * CELL_H, x = MAP_X;

		fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"end\">%s</text>\n", MAP_X - 8, y + 11,
			last->r.field[f].name);
		for (const struct row *row = first; row <= last; row++, x += CELL_W)
			cell(out, x, y, moves(row, last->r.field[f].name));
	}
	for (const struct row *row = first; row <= last; row++)
		fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"middle\">%u</text>\n",
			MAP_X + (int)(row - first) * CELL_W + CELL_W / 2, p->top + 32, row->r.cpus);
}

/* Returns how many of the @n rows from @rows on belong to the same work. */
static unsigned of_work(const struct row *rows, unsigned n)
{
	unsigned i = 1;

	while (i < n && rows[i].run.work == rows->run.work)
		i++;
	return i;
}

static void panel(FILE *out, const struct row *rows, unsigned n, const struct sim_work *work,
		  int top)
{
	struct panel p = { .rows = rows, .n = n, .work = work, .top = top, .most_cpus = 1,
			   .most_speed_up = 1 };

	for (unsigned i = 0; i < n; i++)
		if (rows[i].run.work == work && rows[i].r.cpus > p.most_cpus)
			p.most_speed_up = p.most_cpus = rows[i].r.cpus;
	axes(out, &p);
	curves(out, &p);
	heat_map(out, &p);
}

void report_svg(FILE *out, const struct row *rows, unsigned n)
{
	int top = 0;

	for (unsigned i = 0; i < n; i += of_work(rows + i, n - i))
		top += PANEL + svg_causes_height(of_work(rows + i, n - i));
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\">\n"
		"<style>text { font: 10px sans-serif } .title { font: bold 14px sans-serif } "
		".end { text-anchor: end } .middle { text-anchor: middle } .grid { stroke: #ddd } "
		".ideal { stroke: #999; stroke-dasharray: 4 3 }</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", WIDTH, top, WIDTH,
		top);
	top = 0;
	for (unsigned i = 0; i < n; i += of_work(rows + i, n - i)) {
		panel(out, rows, n, rows[i].run.work, top);
		svg_causes(out, rows + i, of_work(rows + i, n - i), LEFT, top + PANEL, 2 * PLOT_W);
		top += PANEL + svg_causes_height(of_work(rows + i, n - i));
	}
	fprintf(out, "</svg>\n");
}
