/* SPDX-License-Identifier: MIT */
/*
 * Scenarios whose search is saved, or was: --save, --resume. Without these the functions only
 * print.
 */
#ifndef NAP_CHECK_SAVES_H
#define NAP_CHECK_SAVES_H

#include <nap/check.h>

#include "explore/saving.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

/* After the options are read. */
void saves_begin(void);

/* If an earlier process has finished the scenario, prints what it has printed, and returns true. */
bool saves_are_finished(const char *scenario, const struct model *model);

/* Returns what a search of the scenario needs to be saved and resumed; or NULL. */
struct saving *saves_of(const char *scenario, const struct model *model);

/* Calls @print, which prints the verdict. If the search has come to its end, keeps the verdict. */
void saves_verdict(void (*print)(void));

/* Whether everything was saved. */
bool saves_went_well(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_SAVES_H */
