/* SPDX-License-Identifier: MIT */
/* Where the CPUs' time went: a bar for each run, a part for each cause, the work's first. */
#include "report/report.h"

#define BAR_H		11
#define LEGEND_W	62

static const char *const colours[NR_CAUSES] = {
	"#2e8b57", "#a3d9b5", "#c0392b", "#e67e22", "#f1c40f",
	"#bbbbbb", "#8e44ad", "#1b6ca8", "#555555", "#e8e8e8",
};

static uint64_t all_of(const struct result *r)
{
	uint64_t all = 0;

	for (unsigned c = 0; c < NR_CAUSES; c++)
		all += r->spent[c];
	return all;
}

static void bar(FILE *out, const struct row *row, int x, int y, int width)
{
	uint64_t all = all_of(&row->r);
	double at = x;

	for (unsigned c = 0; c < NR_CAUSES && all; c++) {
		double part = (double)row->r.spent[c] / (double)all * width;

		if (part >= 0.05)
			fprintf(out,
				"<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
				"fill=\"%s\" class=\"cause\"/>\n",
				at, y, part, BAR_H - 1, colours[c]);
		at += part;
	}
	fprintf(out,
		"<text x=\"%d\" y=\"%d\" class=\"end\">%u</text>\n<text x=\"%d\" y=\"%d\">%s; "
		"steals: cluster %llu, node %llu, remote %llu</text>\n",
		x - 6, y + 9, row->r.cpus, x + width + 8, y + 9,
		row->run.work->alone ? "" : row->run.pool->name,
		(unsigned long long)row->r.stolen[FAR_CLUSTER],
		(unsigned long long)row->r.stolen[FAR_NODE],
		(unsigned long long)row->r.stolen[FAR_REMOTE]);
}

int svg_causes_height(unsigned n)
{
	return (int)n * BAR_H + 30;
}

void svg_causes(FILE *out, const struct row *rows, unsigned n, int x, int y, int width)
{
	for (unsigned c = 0; c < NR_CAUSES; c++)
		fprintf(out,
			"<rect x=\"%d\" y=\"%d\" width=\"8\" height=\"8\" fill=\"%s\"/><text "
			"x=\"%d\" y=\"%d\">%s</text>\n",
			x + (int)c * LEGEND_W, y, colours[c], x + (int)c * LEGEND_W + 11, y + 8,
			cause_names[c]);
	for (unsigned i = 0; i < n; i++)
		bar(out, &rows[i], x, y + 14 + (int)i * BAR_H, width);
}
