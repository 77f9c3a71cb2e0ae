/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "picture/picture.h"
#include "show/show.h"
#include "tool/html.h"

void html_text(FILE *out, const char *text)
{
	picture_text(out, text, ~0u);
}

static void print_word(FILE *out, const char *word)
{
	for (; *word; word++)
		fputc(isalnum((unsigned char)*word) || strchr("+_", *word) ? *word : '-', out);
}

void html_id(FILE *out, const char *name, const char *column)
{
	print_word(out, name);
	if (column) {
		fputc('.', out);
		print_word(out, column);
	}
}

bool html_has_picture(const struct column *column)
{
	return column && !column->refused &&
	       (column->outcome.forbidden || state_asked_for(column->test, &column->outcome));
}

/* Whether a compiler has removed something that begins or ends at this line of the test. */
static bool is_cut(const struct html_row *row, unsigned line)
{
	const struct text *text = row->judged->test->text;

	for (unsigned i = 0; i < row->nr; i++)
		for (unsigned k = 0; k < row->shown[i].nr_removed; k++) {
			const struct removed *removed = &row->shown[i].removed[k];

			if (text_line(text, removed->from) == line ||
			    (removed->to && text_line(text, removed->to) == line))
				return true;
		}
	return false;
}

/* Prints lines with their numbers; @row NULL: nothing in them is marked. */
static void print_lines(FILE *out, const char *text, unsigned number, const struct html_row *row)
{
	char line[512];

	fputs("<pre>", out);
	for (; *text; number++) {
		size_t length = strcspn(text, "\n");
		bool cut = row && is_cut(row, number);

		snprintf(line, sizeof(line), "%.*s", length < 500 ? (int)length : 500, text);
		fprintf(out, "<i>%3u</i> %s", number, cut ? "<mark>" : "");
		for (char *tab = line; (tab = strchr(tab, '\t'));)
			*tab = ' ';
		html_text(out, line);
		fprintf(out, "%s\n", cut ? "</mark>" : "");
		text += length + (text[length] == '\n');
	}
	fputs("</pre>", out);
}

static void print_removed(FILE *out, const struct html_row *row, const struct shown *shown)
{
	const struct text *text = row->judged->test->text;

	for (unsigned i = 0; i < shown->nr_removed; i++) {
		const struct removed *removed = &shown->removed[i];

		fprintf(out, "<p class=\"removed\">removed: %s ", removed->what);
		if (removed->to)
			fprintf(out, "from line %u to line %u", text_line(text, removed->from),
				text_line(text, removed->to));
		else
			fprintf(out, "in line %u", text_line(text, removed->from));
		fputs("</p>", out);
	}
}

/* Prints the listing from the first function on: above it stands a file name, which changes. */
static void print_compiled(FILE *out, const struct html_row *row, const struct shown *shown)
{
	const char *listing = listing_of(shown->column->test), *begin = strstr(listing, "\n0");

	begin = begin ? begin + 1 : listing;
	fputs("<div class=\"listing\"><h4>", out);
	html_text(out, shown->column->name);
	fputs("</h4>", out);
	print_removed(out, row, shown);
	print_lines(out, begin, text_line(shown->column->test->text, begin), NULL);
	fputs("</div>\n", out);
}

/* Prints a picture without its style, which a page has once. */
static void print_picture(FILE *out, const struct html_row *row, const struct column *column)
{
	char *text = NULL, *style, *end, id[256] = "";
	size_t size = 0;
	FILE *picture = fmemopen(id, sizeof(id), "w");

	if (picture) {
		fputs("svg-", picture);
		html_id(picture, row->name, column->name);
		fclose(picture);
	}
	picture = open_memstream(&text, &size);
	if (!picture)
		return;
	print_svg(picture, id, column->name, column->test, column->rules, &column->outcome);
	fclose(picture);
	style = strstr(text, "\t<style>");
	end = style ? strstr(style, "</style>\n") : NULL;
	fputs("<figure id=\"p-", out);
	html_id(out, row->name, column->name);
	fputs("\"><a class=\"back\" href=\"#t-", out);
	html_id(out, row->name, NULL);
	fputs("\">back</a>\n", out);
	if (end)
		fprintf(out, "%.*s%s", (int)(style - text), text, end + 9);
	fputs("</figure>\n", out);
	free(text);
}

void html_article(FILE *out, const struct html_row *row)
{
	const struct test *test = row->judged->test;

	fputs("<article id=\"t-", out);
	html_id(out, row->name, NULL);
	fputs("\"><h3>", out);
	html_text(out, row->name);
	fputs("</h3>\n<div class=\"listings\"><div class=\"listing\"><h4>as written</h4>", out);
	print_lines(out, test->text->begin, 1, row);
	fputs("</div>\n", out);
	for (unsigned i = 0; i < row->nr; i++) {
		const struct column *column = row->shown[i].column;

		if (column && !column->refused && column->test != test)
			print_compiled(out, row, &row->shown[i]);
	}
	fputs("</div>\n", out);
	for (unsigned i = 0; i < row->nr; i++)
		if (html_has_picture(row->shown[i].column))
			print_picture(out, row, row->shown[i].column);
	fputs("</article>\n", out);
}
