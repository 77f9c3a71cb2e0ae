/* SPDX-License-Identifier: MIT */
/*
 * The source of a program, on a page: the lines that an execution has come to, and some around
 * them.
 */
#ifndef NAP_CHECK_SOURCE_H
#define NAP_CHECK_SOURCE_H

#include "report/rows.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* Finds the file and the line of each row. Call source_close() in the end. */
void source_open(struct rows *rows);
void source_close(void);

/* Shows the line of the place as one that is wrong. */
void source_mark(const struct place *place);

/* Returns the line as it is in the file; NULL: it cannot be read. */
const char *source_line(unsigned file, unsigned line);

/* Finds the place among the files; line 0: it is in none of them. */
void source_find(const struct place *place, unsigned *file, unsigned *line);

/* Writes the column of all files. */
void source_write(FILE *out, const struct rows *rows);

#pragma GCC visibility pop

#endif /* NAP_CHECK_SOURCE_H */
