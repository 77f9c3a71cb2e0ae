/* SPDX-License-Identifier: MIT */
/* The values that options have. A wrong value ends the program with status 2. */
#ifndef NAP_CHECK_VALUES_H
#define NAP_CHECK_VALUES_H

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

unsigned long number(const char *arg);
unsigned number_of_processes(const char *arg);
const struct model *model_for(const char *arg);
void parse_compat(const char *arg);
void parse_nondet(const char *arg);
void check_folder_of(const char *file);

/* Notes an option that was given, for saved.h. */
void note_option(const char *name, const char *arg);

/* Refuses options that do not go together. */
void check_options(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_VALUES_H */
