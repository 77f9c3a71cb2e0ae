/* SPDX-License-Identifier: MIT */
#include "explore/search.h"
#include "program/fault.h"
#include "program/names.h"
#include "program/scenario.h"
#include "report/html.h"
#include "report/members.h"
#include "report/minimise.h"
#include "report/page.h"
#include "report/source.h"
#include "report/story.h"

static void write_head(FILE *out, const char *verdict)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>",
	      out);
	html_text(out, scenario->name);
	fprintf(out, " under %s: ", search.model->name);
	html_text(out, verdict);
	fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", page_style);
}

static void write_verdict(FILE *out, const struct rows *rows, const char *verdict)
{
	fprintf(out, "<header%s>\n<h1>", fault.found ? "" : " class=\"fine\"");
	html_text(out, scenario->name);
	fprintf(out, ", under %s</h1>\n<p class=\"verdict\">", search.model->name);
	html_text(out, verdict);
	fputs("</p>\n<ul>\n", out);
	story_write(out, rows);
	fputs("</ul>\n</header>\n", out);
}

static void write_minimised(FILE *out)
{
	char text[400];

	minimise_text(text, sizeof(text));
	if (!*text)
		return;
	fputs("<p>Minimised: ", out);
	html_text(out, text);
	fputs(".</p>", out);
}

static void write_foot(FILE *out)
{
	fputs("<footer>", out);
	write_minimised(out);
	fputs("<p>A row is an operation, in the column of its thread, "
	      "in an order in which it can have happened. "
	      "#5: an atomic operation, or one of the system; p5: a plain access. "
	      "&lt;- #5: the write that a read reads; &lt;- start: what was there before. "
	      "What is said of other orders was tried, under the same memory model. "
	      "The accesses of a race can have come in either order, "
	      "so other values are possible there, too.</p>"
	      "<p>Written by nap-check.</p></footer>\n</body>\n</html>\n", out);
}

void page_save(FILE *out)
{
	const char *verdict = fault.found ? fault.text : result.why ? result.why : "no fault";
	struct place where[2];
	struct rows rows;

	values_are_decimal = true;
	members_open();
	name_member = member_name;
	rows_take(&rows);
	story_mark(&rows);
	source_open(&rows);
	report_where(where);
	for (unsigned i = 0; fault.found && i < 2; i++)
		source_mark(&where[i]);
	write_head(out, verdict);
	write_verdict(out, &rows, verdict);
	fprintf(out, "<main%s>\n<section class=\"source\">\n<h2>The source</h2>\n",
		rows.nr_threads > 2 ? " class=\"wide\"" : "");
	source_write(out, &rows);
	fputs("</section>\n<section class=\"run\">\n<h2>What happened</h2>\n", out);
	page_table(out, &rows);
	fputs("</section>\n</main>\n", out);
	write_foot(out);
	source_close();
	rows_free(&rows);
	name_member = NULL;
	members_close();
	values_are_decimal = false;
}
