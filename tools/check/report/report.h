/* SPDX-License-Identifier: MIT */
/* Reports on a search, and on an execution. Called outside of the program's threads. */
#ifndef NAP_CHECK_REPORT_H
#define NAP_CHECK_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- verdict.c */

/*
 * Prints, as a line of KTAP, whether the scenario came out as it says. If a fault was found,
 * first prints the counterexample (unless @quiet), and writes it to a file in the folder @trace
 * (or NULL).
 */
void verdict_print(bool quiet, const char *trace);

/* Prints the totals; returns the exit status. */
int verdict_total(void);

/* ---- report.c, trace.c: the execution in which the fault was found */

void report_print(FILE *out);
void trace_save(FILE *out);

/* ---- pairs.c, sites.c */

/* Lists the pairs that load buffering could concern in the graph that has just run. */
void pairs_of_graph(void);
void pairs_print(void);
void sites_print(void);

/* ---- places.c */

struct place {
	char line[96], function[64];	/* file:line */
};

/* Finds the source of the instruction before each @pc. */
void places_of(const uintptr_t *pc, unsigned nr, struct place *out);

#endif /* NAP_CHECK_REPORT_H */
