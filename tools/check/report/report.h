/* SPDX-License-Identifier: MIT */
/* Reports on a search, and on an execution. Called outside of the program's threads. */
#ifndef NAP_CHECK_REPORT_H
#define NAP_CHECK_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "graph/graph.h"
#include "program/callers.h"

/* ---- verdict.c */

/*
 * Prints, as a line of KTAP, whether the scenario came out as it says. If a fault was found, first
 * prints the counterexample (unless @quiet), and writes the files that @files names. A picture and
 * a page are only written of the first of all counterexamples. What did not come out as the
 * scenario says is noted for sarif_save().
 */
struct files;
void verdict_print(bool quiet, const struct files *files);

/* What all verdicts come to so far. */
extern struct totals {
	unsigned tests, failed, undecided;
	unsigned long executions, blocked;
	unsigned drawn;		/* whether a picture or a page was written */
} totals;

/* Prints the totals; returns the exit status. */
int verdict_total(void);

/*
 * ---- report.c, trace.c, picture.c: the execution in which the fault was found, or that is
 * undecided
 */

void report_print(FILE *out);
void trace_save(FILE *out);
/* Writes the execution as SVG (tools/picture/). False: there is no memory. */
bool picture_save(FILE *out);

/* ---- text.c */

/* Whether a counterexample shows the event. */
bool event_is_shown(const struct event *e);
/* Returns the write of a read-modify-write's read, which is shown together with it, or NULL. */
const struct event *event_write_half(const struct event *e);
/*
 * Says the value of a variable of @bytes bytes (0: not known). It is said as a number, or as the
 * name of the object that it is the address of.
 */
void value_text(uint64_t value, unsigned bytes, char *out, size_t size);
extern bool values_are_decimal;		/* false: numbers from 10 on are hexadecimal */
/* Says what the event does. @rf: what follows the order of a read, "" or " <- #7". */
void event_text(const struct event *e, const char *rf, char *out, size_t size);

/* ---- pairs.c, sites.c */

/* Lists the pairs that load buffering could concern in the graph that has just run. */
void pairs_of_graph(void);
void pairs_print(void);
void sites_print(void);

/* ---- places.c */

struct place {
	char line[96], function[64];	/* file:line */
	char path[512];			/* the file's, as the compiler had it */
	bool library;			/* in a header of the system's, or of the compiler's */
};

/* Finds the source of the instruction before each @pc. */
void places_of(const uintptr_t *pc, unsigned nr, struct place *out);

/*
 * Returns the callers that callers_find() has found for the event (or NULL), if they belong to the
 * call at @pc, which may itself be in a library.
 */
struct callers event_callers(const struct event *e, uintptr_t pc);

/* Finds where the fault is: @where[0]; and its other place: @where[1]. */
void report_where(struct place where[2]);

/* As places_of(), of the innermost caller that is in no library; without one, of the innermost. */
void places_of_callers(const struct callers *callers, unsigned nr, struct place *out);

#endif /* NAP_CHECK_REPORT_H */
