/* SPDX-License-Identifier: MIT */
/* The legend, of those kinds of edges that occur in the picture. */
#include "picture/layout.h"

#define SAMPLE	34		/* width of the line that is shown */

/* What has an entry, in this order: red edges, the relations, edges from initial values. */
enum { RED, FIRST, INITIAL = FIRST + PICTURE_RELATIONS, ENTRIES };

static unsigned entry_of(const struct picture_edge *edge)
{
	return edge->red ? RED : edge->from == PICTURE_INITIAL ? INITIAL : FIRST + edge->relation;
}

static bool occurs(const struct picture *picture, unsigned entry)
{
	for (unsigned i = 0; i < picture->nr_edges; i++)
		if (entry_of(&picture->edge[i]) == entry)
			return true;
	return false;
}

static enum picture_relation relation_of(unsigned entry)
{
	return entry == INITIAL ? PICTURE_RF : (enum picture_relation)(entry - FIRST);
}

static const char *meaning_of(const struct picture *picture, unsigned entry)
{
	return entry == RED ? picture->red : entry == INITIAL ? "a read of the initial value" :
		relation_meaning(relation_of(entry));
}

static int room_of(const struct picture *picture, unsigned entry)
{
	unsigned length = text_characters(meaning_of(picture, entry));

	if (entry != RED)
		length += 2 + text_characters(relation_name(relation_of(entry)));
	return SAMPLE + 22 + text_width(length, ADVANCE_LABEL);
}

static void write_entry(FILE *out, const struct picture *picture, unsigned entry, int x, int y)
{
	int end = x + SAMPLE, middle = y - 4;

	fprintf(out, "\t\t<g class=\"%s\"><path class=\"nap-line\" d=\"M%d %dh%d\"/>",
		entry == RED ? "nap-red" : relation_class(relation_of(entry)), x, middle,
		SAMPLE - 9);
	if (entry == INITIAL)
		fprintf(out, "<circle class=\"nap-tip\" cx=\"%d\" cy=\"%d\" r=\"3\"/>", x + 3,
			middle);
	fprintf(out, "<path class=\"nap-tip\" d=\"M%d %dl-10 -5v10z\"/>", end - 2, middle);
	fprintf(out, "<text class=\"nap-note\" x=\"%d\" y=\"%d\">", end + 4, y);
	if (entry != RED)
		fprintf(out, "<tspan class=\"nap-kind\">%s</tspan>: ",
			relation_name(relation_of(entry)));
	picture_text(out, meaning_of(picture, entry), ~0u);
	fputs("</text></g>\n", out);
}

int legend_write(FILE *out, const struct picture *picture, int x, int y, int width)
{
	int at = 0, line = 0;

	for (unsigned entry = 0; entry < ENTRIES; entry++) {
		int room = room_of(picture, entry);

		if (!occurs(picture, entry))
			continue;
		if (at && at + room > width) {
			at = 0;
			line++;
		}
		if (out)
			write_entry(out, picture, entry, x + at, y + 20 * line);
		at += room;
	}
	return at ? 20 * (line + 1) : 0;
}
