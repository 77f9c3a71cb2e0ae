/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_OPTIONS_H
#define NAP_CHECK_OPTIONS_H

#include <stdio.h>

#include "explore/search.h"
#include "program/freed.h"
#include "report/findings.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* The options on the command line. */
struct options {
	const struct model *only_model;	/* instead of the scenarios' own; or NULL */
	unsigned long max_executions, max_seconds, random, samples, seed;
	unsigned preemptions;
	uint32_t may_stop;		/* threads, a bit each; the scenario's, unless given */
	bool may_stop_given;
	bool preemption_bound;		/* @preemptions is given; false: partial-order reduction */
	bool exhaustive;		/* explore all, whatever the scenarios say */
	bool distinct;			/* count distinct graphs */
	bool all_faults, outcomes;
	unsigned long minimise;		/* how many more executions */
	bool minimise_given;
	unsigned processes, grain;	/* -j: how many, and how long a part runs, in ms */
	bool sites, pairs, quiet, leaks, stuck, turns_by_state;
	enum reuse reuse;
	unsigned weak_failures;
	unsigned without;		/* reductions: WITHOUT_LOCKS and so on */
	unsigned spurious;		/* spurious ends of waits; the scenario's, unless given */
	bool spurious_given;
	const char *replay;
	struct files files;
	const char *save, *resume;	/* files; saved.h */
	unsigned save_every;		/* seconds */
};
extern struct options options;

/* Returns the index in @argv of the first word that is no option. */
int parse_options(int argc, char **argv);
_Noreturn void bad_usage(const char *what, const char *arg);

/* files.c: refuse a folder in which nothing can be made; a file that cannot be made. */
void check_folder(const char *folder);
void check_file(const char *file);

/* without.c: returns the reductions that the list @names has; a wrong one ends the program. */
unsigned reductions_named(const char *names);

/* usage.c: print the summary of --help; return the name by which the user has called. */
void print_usage(FILE *out);
char *program_name(void);

/* main.c: --list */
void list_scenarios(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_OPTIONS_H */
