/* SPDX-License-Identifier: MIT */
/*
 * What an execution comes to, as far as a user of the program can tell (--outcomes): its exit
 * status, and what each thread prints. The order between the prints of different threads is no part
 * of an execution.
 */
#ifndef NAP_CHECK_OUTCOME_H
#define NAP_CHECK_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

extern bool outcomes_wanted;	/* false: the functions do nothing */

void outcome_begin(void);	/* when an execution begins */
void outcome_status(int status);
/* The running thread, or what is called outside of threads, prints. */
void outcome_prints(const void *text, size_t size);
void outcome_prints_line(const char *text);	/* adds a new line */

static inline void outcome_prints_char(int c)
{
	char one = (char)c;

	outcome_prints(&one, 1);
}

/* Returns the outcome as a line of text, or NULL if there is no memory. The caller frees it. */
char *outcome_text(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_OUTCOME_H */
