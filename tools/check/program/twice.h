/* SPDX-License-Identifier: MIT */
/*
 * Whether a program repeats itself, byte by byte (--twice). Each execution has to begin with the
 * same memory as the first. Each complete execution is run again, with the same events, and has to
 * come to the same memory. Memory is static storage, allocated objects, the used parts of stacks,
 * with the registers of threads that wait, and thread-local variables.
 */
#ifndef NAP_CHECK_TWICE_H
#define NAP_CHECK_TWICE_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

extern bool twice_wanted;	/* false: the functions do nothing */

void twice_clear(void);		/* when a scenario begins */

/* Whether the execution begins as the first one did. If not, the search is undecided. */
bool twice_begins(void);

/* Keeps what a complete execution has come to. */
void twice_keep(void);

/*
 * Runs an execution that has no fault again, and compares. If it differs, the search is undecided.
 */
void twice_compare(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_TWICE_H */
