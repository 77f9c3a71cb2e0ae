/* SPDX-License-Identifier: MIT */
/* What programs for other checkers call, and take for granted: verifier.c, --compat. */
#ifndef NAP_CHECK_VERIFIER_H
#define NAP_CHECK_VERIFIER_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* The ways of the other checkers that --compat takes over. */
/* a program may end with another status than 0; also with --outcomes */
extern bool status_is_ignored;
extern bool nothing_is_fine;	/* a program without accesses; executions that are all given up */
extern bool abort_drops;	/* abort() gives the execution up, and is no fault */

/* --nondet: the values that __VERIFIER_nondet_int() and its like return. */
extern bool nondet_given;
extern long nondet_lowest, nondet_highest;
#define MAX_NONDET 256		/* values */

/* Whether such a value was asked for since the search began. */
extern bool nondet_was_met;

void verifier_begin(void);	/* when an execution begins */

#pragma GCC visibility pop

#endif /* NAP_CHECK_VERIFIER_H */
