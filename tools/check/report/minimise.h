/* SPDX-License-Identifier: MIT */
/*
 * A shorter counterexample (--minimise). When a search in one process has found a fault, the search
 * goes on for some more executions, and takes the shortest that has the same fault: of the same
 * kind, at the same places. After any search, events that the fault does not need are left out:
 * those that do not come before its accesses in porf. What is left is run again, and has to come to
 * the fault.
 */
#ifndef NAP_CHECK_MINIMISE_H
#define NAP_CHECK_MINIMISE_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

#define MINIMISE_EXECUTIONS 1000	/* how many more, unless the command line says so */

/* Called when a search begins, also when it begins anew. */
void minimise_begins(void);

/* Makes a search of one process go on for @executions after the first fault. */
void minimise_search(unsigned long executions);

/* After explore(): makes the shortest counterexample the one that was found. */
void minimise_end(void);

/* Says what was tried; "" if nothing was. */
void minimise_text(char *out, size_t size);

/* ---- shrink.c */

/*
 * How long a counterexample is. The fewer threads, events, reads of what is not the newest, the
 * better.
 */
struct measure {
	unsigned threads, events, old_reads;
};
bool is_shorter(const struct measure *a, const struct measure *b);

/* Measures what the fault needs of the execution that has just run. */
struct measure measure_now(void);

/* Whether two faults are of one kind, and at the same places. */
struct fault;
bool is_same_fault(const struct fault *a, const struct fault *b);

/*
 * Runs @of again without what the fault @wanted does not need. If that run does not come to the
 * fault, runs @of as it is. The last run counts as the execution that has just run. Returns false
 * if neither run comes to the fault.
 */
struct graph;
bool shrink(const struct graph *of, const struct fault *wanted);

#pragma GCC visibility pop

#endif /* NAP_CHECK_MINIMISE_H */
