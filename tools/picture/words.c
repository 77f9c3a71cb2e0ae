/* SPDX-License-Identifier: MIT */
/* The picture in words. A screen reader reads them in place of the drawing. */
#include "picture/layout.h"

void words_event(FILE *out, const struct picture_event *event)
{
	picture_text(out, event->name, ~0u);
	fputs(": ", out);
	picture_text(out, event->what, ~0u);
	if (event->code) {
		fputs(", ", out);
		picture_text(out, event->code, ~0u);
	}
	if (event->place) {
		fputs(", ", out);
		picture_text(out, event->place, ~0u);
	}
}

void words_edge(FILE *out, const struct picture *picture, const struct picture_edge *edge)
{
	const char *label = edge_label_of(edge);

	picture_text(out, *label ? label : relation_name(edge->relation), ~0u);
	fputs(" from ", out);
	picture_text(out, edge->from == PICTURE_INITIAL ? "the initial value" :
		   picture->event[edge->from].name, ~0u);
	fputs(" to ", out);
	picture_text(out, picture->event[edge->to].name, ~0u);
}

static void write_edges(FILE *out, const struct picture *picture, bool red)
{
	bool more = false;

	for (unsigned i = 0; i < picture->nr_edges; i++) {
		const struct picture_edge *edge = &picture->edge[i];

		if (edge->red != red || (!red && edge->relation == PICTURE_PO))
			continue;
		fputs(more ? "; " : " ", out);
		if (!more && red) {
			fputs("In red, ", out);
			picture_text(out, picture->red, ~0u);
			fputs(": ", out);
		}
		words_edge(out, picture, edge);
		more = true;
	}
	if (more)
		fputc('.', out);
}

void words_write(FILE *out, const struct picture *picture)
{
	if (picture->question) {
		picture_text(out, picture->question, ~0u);
		fputs(". ", out);
	}
	picture_text(out, picture->outcome, ~0u);
	fputc('.', out);
	for (unsigned column = 0; column < picture->nr_columns; column++) {
		fputs(" Thread ", out);
		picture_text(out, picture->column[column], ~0u);
		fputc('.', out);
		for (unsigned i = 0; i < picture->nr_events; i++)
			if (picture->event[i].column == column) {
				fputc(' ', out);
				words_event(out, &picture->event[i]);
				fputc('.', out);
			}
	}
	write_edges(out, picture, true);
	write_edges(out, picture, false);
}
