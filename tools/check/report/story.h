/* SPDX-License-Identifier: MIT */
/* What is wrong in an execution, in sentences, for a page. */
#ifndef NAP_CHECK_STORY_H
#define NAP_CHECK_STORY_H

#include <stdbool.h>
#include <stdio.h>

#include "report/rows.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* Marks the rows that the fault is about. */
void story_mark(struct rows *rows);

/* Writes the sentences as items of a list. */
void story_write(FILE *out, const struct rows *rows);

/*
 * Says what the thread waits for in the end, and which thread has that, and finds where it waits
 * (@where, or NULL). Returns false if it waits for nothing.
 */
bool story_wait(const struct rows *rows, unsigned thread, char *out, size_t size,
		struct place *where);

/* ---- for story_waits.c and story.c */

void story_item(FILE *out, const char *text);
void story_waits(FILE *out, const struct rows *rows);

#pragma GCC visibility pop

#endif /* NAP_CHECK_STORY_H */
