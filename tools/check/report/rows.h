/* SPDX-License-Identifier: MIT */
/*
 * The rows of a page: the events of the table, by the same numbers, and between them the plain
 * accesses, which are numbered apart.
 */
#ifndef NAP_CHECK_ROWS_H
#define NAP_CHECK_ROWS_H

#include "program/steps.h"
#include "report/report.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* A page of more rows has only the last ones. */
#define MOST_ROWS	600

struct row {
	const struct event *e;		/* or NULL: the plain access @step */
	const struct step *step;
	unsigned thread, number;	/* of events and of plain accesses apart, from 1 on */
	struct place where;
	unsigned file, line;		/* source.h; line 0: not known */
	bool wrong;			/* the fault is about this row */
};

struct rows {
	unsigned nr, nr_left_out, nr_threads, nr_plain;
	struct row *row;
	unsigned column[MAX_THREADS];	/* the thread's column + 1; 0: the thread has no row */
	uint16_t number_of[MAX_EVENTS];	/* an event's number, or that of its read; 0: no row */
};

/* Takes the execution that has just run. After callers_find(). */
void rows_take(struct rows *rows);
void rows_free(struct rows *rows);

/* Says what a row does, and the write that it reads. */
void row_text(const struct rows *rows, const struct row *row, char *out, size_t size);

/*
 * Returns the row of a plain access by the thread between its events @after and the next one, at
 * @pc; or NULL.
 */
struct row *row_of_step(const struct rows *rows, unsigned thread, unsigned after, uintptr_t pc);

#pragma GCC visibility pop

#endif /* NAP_CHECK_ROWS_H */
