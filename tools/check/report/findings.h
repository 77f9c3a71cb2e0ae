/* SPDX-License-Identifier: MIT */
/* What a search has found: each different fault once (--all-faults). */
#ifndef NAP_CHECK_FINDINGS_H
#define NAP_CHECK_FINDINGS_H

#include <stdbool.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* A fault, with what is written of the shortest execution that shows it. */
struct finding {
	char *same_as;		/* the text that is common to all faults that count as this one */
	char *text, *report, *trace, *svg, *html, *sarif;
	unsigned events;
	bool behind_race;
	unsigned long times;	/* in how many executions */
	unsigned last;		/* the number of the last of these */
};
extern struct finding *findings;
extern unsigned nr_findings;

/* Forgets the findings, when another search begins. */
void findings_clear(void);

/* Takes the faults of the execution that has just run (faults.h). */
void findings_take(void);

/* Adds a finding, whose strings it takes over. */
void findings_add(struct finding f);

/* The files that are wanted, or NULL: a picture, a page, SARIF; and the folder of traces. */
struct files {
	const char *trace, *svg, *html, *sarif;
};
void findings_with(struct files files);

/* Returns what @write writes. The caller frees it. */
char *written(void (*write)(FILE *out));

/* Prints all findings, each with its number if there are several. */
void findings_print(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_FINDINGS_H */
