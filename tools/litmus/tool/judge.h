/* SPDX-License-Identifier: MIT */
/* A test under all that it is to be judged by: models, and what compilers make of it. */
#ifndef NAP_LITMUS_JUDGE_H
#define NAP_LITMUS_JUDGE_H

#include "tool/options.h"

/* A test under one model. */
struct column {
	const char *name;		/* the model, or compiler, machine and flags */
	struct test *test;		/* compiled, or as it is */
	const struct rules *rules;
	struct outcome outcome;
	double seconds;			/* of CPU time */
	bool refused;			/* @message says why */
	char message[512];
};

struct judged {
	const char *file;
	struct arena arena;
	struct test *test;		/* NULL: it could not be read, @message says why */
	char message[512];
	unsigned nr;
	struct column column[MAX_COLUMNS];
};

/* Read the file and judge it; free with judged_free(). */
struct judged *judge(const struct options *options, const char *file);
void judged_free(struct judged *judged);

/* table.c: a row for each test, a column for each model; details below, as the options say. */
void table_begin(const struct options *options);
void table_end(void);
void table_row(const struct options *options, const struct judged *judged);

/* draw.c: a picture of each column in the directory options->dot. Exits if it cannot be written. */
void draw(const struct options *options, const struct judged *judged);

/*
 * compare.c: prints what differs between the first column and the others; whether something does.
 */
bool compare_columns(const struct judged *judged);
/* A column with what a file of an earlier --csv, or of another tool, says of the test. */
bool compare_with(const char *against, const char *file, const struct column *column);

/* expect.c: whether each column is as the test's own "Expect:" or "Result:" line says; says so. */
bool expect_fulfilled(const struct judged *judged);

#endif /* NAP_LITMUS_JUDGE_H */
