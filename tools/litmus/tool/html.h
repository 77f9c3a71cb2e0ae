/* SPDX-License-Identifier: MIT */
/*
 * A part of a page, for lab.sh: a table of verdicts, a row a test; then each test with its listings
 * in columns, and its pictures, to which the verdicts link.
 */
#ifndef NAP_LITMUS_HTML_H
#define NAP_LITMUS_HTML_H

#include "tool/judge.h"
#include "tool/removed.h"

/* html.c: opens options->html. These exit, with a message, if it cannot be written. */
void html_begin(const struct options *options);
void html_test(const struct options *options, struct judged *judged);
void html_end(const struct options *options);

/* A column that a page shows, and what its compiler has removed. */
struct shown {
	const char *title;
	const struct column *column;	/* NULL: not judged */
	unsigned nr_removed;
	struct removed removed[REMOVED_MOST];
};

/* What a page shows of a test. */
struct html_row {
	const char *name;
	struct judged *judged;
	unsigned nr;
	struct shown shown[MAX_COLUMNS];
};

/* article.c: prints the test, its listings and its pictures. */
void html_article(FILE *out, const struct html_row *row);
bool html_has_picture(const struct column *column);
void html_text(FILE *out, const char *text);
/* Prints what is an id in the page: of a test, or of a column of it (NULL: none). */
void html_id(FILE *out, const char *name, const char *column);

#endif /* NAP_LITMUS_HTML_H */
