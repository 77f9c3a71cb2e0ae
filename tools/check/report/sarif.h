/* SPDX-License-Identifier: MIT */
/* Faults for code hosts: SARIF 2.1.0 (OASIS, 2020), one file for all scenarios (--sarif). */
#ifndef NAP_CHECK_SARIF_H
#define NAP_CHECK_SARIF_H

#include <stdbool.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* Writes the fault of the execution that has just run, as a result. After callers_find(). */
void sarif_write(FILE *out);

/*
 * Add to the file: what sarif_write() has written; a failure without a place; why the search is
 * undecided.
 */
void sarif_add(const char *text);
void sarif_add_failure(const char *text);
void sarif_add_undecided(const char *text);

/* Adds notes or results that sarif_taken() has returned. */
void sarif_add_again(bool note, const char *text);

/* Returns the notes or the results that were added since the last call. The caller frees them. */
char *sarif_taken(bool notes);

/* Writes the file; @status: the exit status. Returns whether it could be written. */
int sarif_save(FILE *out, int status);

#pragma GCC visibility pop

#endif /* NAP_CHECK_SARIF_H */
