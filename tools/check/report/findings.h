/* SPDX-License-Identifier: MIT */
/* What a search has found: each different fault once (--all-faults). */
#ifndef NAP_CHECK_FINDINGS_H
#define NAP_CHECK_FINDINGS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

/* A fault, with what is written of the shortest execution that shows it. */
struct finding {
	char *same_as;		/* what it has in common with those that count as the same */
	char *text, *report, *trace, *svg;
	unsigned events;
	bool behind_race;
	unsigned long times;	/* in how many executions */
	unsigned last;		/* the number of the last of these */
};
extern struct finding *findings;
extern unsigned nr_findings;

/* Forgets the findings, when another search begins. */
void findings_clear(void);

/* Takes the faults of the execution that has just run (faults.h). @svg: with pictures. */
void findings_take(void);
void findings_with(bool svg);

/* Prints all of them, each with its number if there are several. */
void findings_print(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_FINDINGS_H */
