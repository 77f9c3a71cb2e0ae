/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "program/fault.h"
#include "program/threads.h"
#include "report/html.h"
#include "report/page.h"
#include "report/source.h"
#include "report/story.h"
#include "report/why.h"

static unsigned colour(const struct rows *rows, unsigned thread)
{
	return (rows->column[thread] - 1) % 6;
}

static void write_heads(FILE *out, const struct rows *rows)
{
	fputs("<thead><tr><th class=\"number\"></th>", out);
	for (unsigned t = 0; t < MAX_THREADS; t++) {
		if (!rows->column[t])
			continue;
		fprintf(out, "<th class=\"t%u\">", colour(rows, t));
		html_text(out, thread_name(t));
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n", out);
}

/* Writes the place as a link to the line of the source, and the line itself. */
static void write_place(FILE *out, const struct place *where, unsigned file, unsigned line)
{
	const char *code = source_line(file, line), *slash = strrchr(where->line, '/');

	if (!*where->line)
		return;
	fputs("<div class=\"at\">", out);
	if (code)
		fprintf(out, "<a href=\"#f%ul%u\">", file, line);
	html_text(out, slash ? slash + 1 : where->line);
	if (code) {
		fputs("</a> <code>", out);
		html_text(out, code + strspn(code, " \t"));
		fputs("</code>", out);
	}
	fputs("</div>", out);
}

static void write_cell(FILE *out, const struct rows *rows, const struct row *row)
{
	char text[300], why[1200];

	row_text(rows, row, text, sizeof(text));
	fprintf(out, "<td class=\"t%u%s\"><div class=\"what\">", colour(rows, row->thread),
		row->wrong ? " wrong" : "");
	html_linked(out, text);
	fputs("</div>", out);
	write_place(out, &row->where, row->file, row->line);
	if (row->e && why_read(rows, row->e, why, sizeof(why))) {
		fputs("<div class=\"why\"><b>Why it may read this:</b> ", out);
		html_linked(out, why);
		fputs("</div>", out);
	}
	fputs("</td>", out);
}

static void write_empty(FILE *out, unsigned nr)
{
	while (nr--)
		fputs("<td></td>", out);
}

static void write_row(FILE *out, const struct rows *rows, const struct row *row)
{
	unsigned column = rows->column[row->thread];

	fprintf(out, "<tr id=\"%s%u\" class=\"%s%s\"><th scope=\"row\">%s%u</th>",
		row->e ? "e" : "p", row->number, row->e ? "event" : "plain",
		row->wrong ? " wrong" : "", row->e ? "#" : "p", row->number);
	write_empty(out, column - 1);
	write_cell(out, rows, row);
	write_empty(out, rows->nr_threads - column);
	fputs("</tr>\n", out);
}

/* Writes what the thread waits for in the end, or that it has done the fault. False: neither. */
static bool write_end(FILE *out, const struct rows *rows, unsigned thread)
{
	struct place where[2];
	unsigned file, line;
	char text[700];

	if (fault.waits ? !story_wait(rows, thread, text, sizeof(text), &where[0]) :
			  thread != fault.by)
		return false;
	if (!fault.waits)
		snprintf(text, sizeof(text), "%s", fault.text);
	fprintf(out, "<td class=\"t%u wrong\"><div class=\"what\">", colour(rows, thread));
	html_linked(out, text);
	fputs("</div>", out);
	if (!fault.waits)
		report_where(where);
	source_find(&where[0], &file, &line);
	write_place(out, &where[0], file, line);
	fputs("</td>", out);
	return true;
}

/* Writes a last row for the fault. A race needs no such row: its two accesses are rows. */
static void write_fault(FILE *out, const struct rows *rows)
{
	if (!fault.found || (!fault.waits && (fault.by >= MAX_THREADS || !rows->column[fault.by])))
		return;
	if (!fault.waits && fault.other_clock && rows->nr && rows->row[rows->nr - 1].wrong)
		return;
	fputs("<tr id=\"end\" class=\"wrong\"><th scope=\"row\">!</th>", out);
	for (unsigned t = 0; t < MAX_THREADS; t++)
		if (rows->column[t] && !write_end(out, rows, t))
			write_empty(out, 1);
	fputs("</tr>\n", out);
}

void page_table(FILE *out, const struct rows *rows)
{
	fputs("<table>\n", out);
	write_heads(out, rows);
	fputs("<tbody>\n", out);
	if (rows->nr_left_out)
		fprintf(out, "<tr><th></th><td colspan=\"%u\">"
			"\xe2\x80\xa6 %u rows are left out here</td></tr>\n",
			rows->nr_threads, rows->nr_left_out);
	for (unsigned i = 0; i < rows->nr; i++)
		write_row(out, rows, &rows->row[i]);
	write_fault(out, rows);
	if (!rows->nr)
		fputs("<tr><th></th><td>nothing was executed</td></tr>\n", out);
	fputs("</tbody></table>\n", out);
}
