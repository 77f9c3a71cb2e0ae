/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/show.h"
#include "tool/html.h"

static struct {
	FILE *table;			/* the file, which the table begins */
	FILE *articles;			/* what follows the table in the file */
	char *text;
	size_t size;
} page;

_Noreturn static void cannot_write(const struct options *options)
{
	fprintf(stderr, "nap-litmus: %s: %s\n", options->html, strerror(errno));
	exit(2);
}

void html_begin(const struct options *options)
{
	page.table = fopen(options->html, "we");
	page.articles = open_memstream(&page.text, &page.size);
	if (!page.table || !page.articles)
		cannot_write(options);
	fputs("<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">test</th>", page.table);
	for (unsigned i = 0; table_models[i]; i++)
		fprintf(page.table, "<th scope=\"col\">%s</th>", table_models[i]);
	for (unsigned i = 0; i < options->nr_targets; i++) {
		fputs("<th scope=\"col\">", page.table);
		html_text(page.table, options->target[i]);
		fputs("</th>", page.table);
	}
	fputs("</tr></thead>\n<tbody>\n", page.table);
}

/* Returns the column of this name, or of the compiler and machine that its name begins with. */
static const struct column *column_of(const struct judged *judged, const char *name)
{
	size_t length = strlen(name);

	for (unsigned i = 0; i < judged->nr; i++) {
		const char *other = judged->column[i].name;

		if (!strncmp(other, name, length) && (!other[length] || other[length] == ' '))
			return &judged->column[i];
	}
	return NULL;
}

struct looking {
	const struct options *options;
	struct test *written;
	struct shown *shown;
};

static void look_for_removed(void *with)
{
	struct looking *looking = with;
	struct shown *shown = looking->shown;

	shown->nr_removed = removed_of(looking->written, shown->column->test,
				       looking->options->limits.unroll, shown->removed);
}

static void add_column(const struct options *options, struct html_row *row, const char *title)
{
	struct shown *shown = &row->shown[row->nr++];
	struct looking looking = { options, row->judged->test, shown };

	shown->title = title;
	shown->column = column_of(row->judged, title);
	shown->nr_removed = 0;
	if (shown->column && !shown->column->refused && shown->column->test != looking.written)
		text_try(look_for_removed, &looking);
}

static void print_mark(const char *class, const char *mark, const char *meaning)
{
	fprintf(page.table, "<abbr class=\"%s\" title=\"%s\">%s</abbr>", class, meaning, mark);
}

static void print_verdict(const struct html_row *row, const struct shown *shown)
{
	static const char *const classes[] = { "always", "sometimes", "never", "undecided" };
	const struct column *column = shown->column;
	bool linked = html_has_picture(column);

	fprintf(page.table, "<td class=\"%s\"%s>", classes[column->outcome.verdict],
		linked || column->outcome.timeout ? "" :
		" title=\"no execution ends so, whatever a model forbids\"");
	if (linked) {
		fputs("<a href=\"#p-", page.table);
		html_id(page.table, row->name, column->name);
		fputs("\">", page.table);
	}
	fprintf(page.table, "%s%s", verdict_name(column->outcome.verdict), linked ? "</a>" : "");
	if (column->outcome.bounded || column->outcome.timeout)
		print_mark("bounded", "*", "a loop went on beyond the bound, or the time was over");
	if (column->outcome.stuck)
		print_mark("stuck", "~", "a thread may wait in a loop for ever");
	if (column->outcome.flags)
		print_mark("flagged", "!", "flagged by the model, as a data race");
	if (shown->nr_removed)
		print_mark("removed", "\xe2\x9c\x82", "the compiler has removed something");
	fputs("</td>", page.table);
}

static void print_row(const struct html_row *row)
{
	fputs("<tr><th scope=\"row\"><a href=\"#t-", page.table);
	html_id(page.table, row->name, NULL);
	fputs("\">", page.table);
	html_text(page.table, row->name);
	fputs("</a></th>", page.table);
	for (unsigned i = 0; i < row->nr; i++) {
		const struct column *column = row->shown[i].column;

		if (column && !column->refused) {
			print_verdict(row, &row->shown[i]);
			continue;
		}
		fprintf(page.table, "<td class=\"%s\" title=\"", column ? "refused" : "none");
		html_text(page.table, column ? column->message : "not asked");
		fprintf(page.table, "\">%s</td>", column ? "refused" : "\xe2\x80\x93");
	}
	fputs("</tr>\n", page.table);
}

void html_test(const struct options *options, struct judged *judged)
{
	struct html_row *row = arena_alloc(&judged->arena, sizeof(*row));
	const char *name = file_name(judged->file);
	size_t length = strlen(name);

	if (length > 7 && !strcmp(name + length - 7, ".litmus"))
		length -= 7;
	row->name = arena_text(&judged->arena, name, length);
	row->judged = judged;
	for (unsigned i = 0; table_models[i]; i++)
		add_column(options, row, table_models[i]);
	for (unsigned i = 0; i < options->nr_targets; i++)
		add_column(options, row, options->target[i]);
	print_row(row);
	html_article(page.articles, row);
}

void html_end(const struct options *options)
{
	fputs("</tbody>\n</table></div>\n", page.table);
	if (fclose(page.articles))
		cannot_write(options);
	fwrite(page.text, 1, page.size, page.table);
	free(page.text);
	if (ferror(page.table) | fclose(page.table))
		cannot_write(options);
}
