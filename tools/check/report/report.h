/* SPDX-License-Identifier: MIT */
/* What is said of a search, and of an execution. Outside of the program's threads. */
#ifndef NAP_CHECK_REPORT_H
#define NAP_CHECK_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- verdict.c */

/*
 * Whether the scenario came out of the search as it says, as a line of KTAP; if a fault was found,
 * first the counterexample (unless @quiet), also as a file in the folder @trace (or NULL).
 */
void verdict_print(bool quiet, const char *trace);

/* The totals; returns the exit status. */
int verdict_total(void);

/* ---- report.c, trace.c: the execution in which the fault was found */

void report_print(FILE *out);
void trace_save(FILE *out);

/* ---- pairs.c, sites.c */

/* What load buffering could concern in the graph that has just been run. */
void pairs_of_graph(void);
void pairs_print(void);
void sites_print(void);

/* ---- places.c */

struct place {
	char line[96], function[64];	/* file:line */
};

/* Where in the source the instructions before @pc are; ends with that of inlined functions. */
void places_of(const uintptr_t *pc, unsigned nr, struct place *out);

#endif /* NAP_CHECK_REPORT_H */
