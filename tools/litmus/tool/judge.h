/* SPDX-License-Identifier: MIT */
/* A test, judged under each model, and each compiler, that the options name. */
#ifndef NAP_LITMUS_JUDGE_H
#define NAP_LITMUS_JUDGE_H

#include "tool/options.h"

/* The result of a test under one model. */
struct column {
	const char *name;		/* the model, or compiler, machine and flags */
	struct test *test;		/* compiled, or as written */
	const struct rules *rules;
	struct outcome outcome;
	double seconds;			/* of CPU time */
	bool refused;			/* @message says why */
	char message[512];
};

struct judged {
	const char *file;
	struct arena arena;
	struct test *test;		/* NULL: not readable, @message says why */
	char message[512];
	unsigned nr;
	struct column column[MAX_COLUMNS];
};

/* Reads the file and judges it; free the result with judged_free(). */
struct judged *judge(const struct options *options, const char *file);
void judged_free(struct judged *judged);

/* The columns of a table whose tests name their own models; NULL after the last. */
extern const char *const table_models[];

/* table.c: prints a row for each test, a column for each model, and details as the options say. */
void table_begin(const struct options *options);
void table_end(void);
void table_row(const struct options *options, const struct judged *judged);

/* draw.c: writes pictures of each column, where options->dot and ->svg say. Exits if it cannot. */
void draw(const struct options *options, const struct judged *judged);

/* compare.c: prints how the first column differs from the others; returns whether it does. */
bool compare_columns(const struct judged *judged);
/* Compares a column with what an earlier --csv, or another tool's, says of the test. */
bool compare_with(const char *against, const char *file, const struct column *column);

/* expect.c: prints whether each column is as the test's "Expect:" or "Result:" says. */
bool expect_fulfilled(const struct judged *judged);

#endif /* NAP_LITMUS_JUDGE_H */
