/* SPDX-License-Identifier: MIT */
/* A table of what the program can print or return, with how many executions each (--outcomes). */
#ifndef NAP_CHECK_OUTCOMES_H
#define NAP_CHECK_OUTCOMES_H

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

struct outcome_row {
	char *text, *trace;	/* @trace: an execution that comes to @text */
	unsigned long executions;
};
extern struct outcome_row *outcomes;
extern unsigned nr_outcomes;

void outcomes_clear(void);		/* when another search begins */
void outcomes_take(void);		/* of the execution that has just run */

void outcomes_add(struct outcome_row row);	/* takes over its strings */

/* Prints the table, sorted. Saves an execution of each line in the folder @trace (or NULL). */
void outcomes_print(const char *trace);

#pragma GCC visibility pop

#endif /* NAP_CHECK_OUTCOMES_H */
