/* SPDX-License-Identifier: MIT */
/*
 * A counterexample as a page that explains it: one file, for browsers and printers, without
 * scripts.
 */
#ifndef NAP_CHECK_PAGE_H
#define NAP_CHECK_PAGE_H

#include <stdio.h>

#include "report/rows.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* Writes the page of the execution that has just run. After callers_find(). */
void page_save(FILE *out);

/* ---- page_table.c: the threads' columns; page_style.c */

void page_table(FILE *out, const struct rows *rows);
extern const char page_style[];

#pragma GCC visibility pop

#endif /* NAP_CHECK_PAGE_H */
