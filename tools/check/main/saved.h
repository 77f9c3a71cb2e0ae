/* SPDX-License-Identifier: MIT */
/*
 * The file of --save and --resume. Its lines are these, and BYTES bytes follow a line "scenario":
 *
 *	nap-check search 1
 *	by SUM			the checker's code
 *	of SUM			the program's code and data
 *	with OPTIONS		those that decide which executions there are, and the program's
 *				arguments
 *	scenario NAME MODEL open|finished BYTES
 *	end SUM			of all before
 *
 * The bytes of an open scenario come from explore/saving.c, those of a finished one from report/. A
 * new file is written beside the old one, and takes its place when it is whole.
 */
#ifndef NAP_CHECK_SAVED_H
#define NAP_CHECK_SAVED_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

/* Notes an option that decides which executions there are. @arg is NULL if the option has none. */
void saved_option(const char *name, const char *arg);

/* Reads the file that is to be resumed. A file of something else ends the program with status 2. */
void saved_load(const char *file);

/* Refuses a file that is not a saved search, and so is not to be written over. */
void saved_check_target(const char *file);

/* Returns what is saved of a scenario; NULL: nothing. */
const char *saved_of(const char *name, const char *model, bool *finished, size_t *size);

/* Says why what was resumed is wrong, and ends the program. */
_Noreturn void saved_is_wrong(const char *why);

/* Keeps @text for a scenario, and writes the file. Returns false, and says why, if that fails. */
bool saved_keep(const char *name, const char *model, bool finished, const char *text, size_t size);

#pragma GCC visibility pop

#endif /* NAP_CHECK_SAVED_H */
