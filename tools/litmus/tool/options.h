/* SPDX-License-Identifier: MIT */
#ifndef NAP_LITMUS_OPTIONS_H
#define NAP_LITMUS_OPTIONS_H

#include "run/run.h"
#include "search/search.h"
#include "tool/files.h"

#define MAX_MODELS 8
#define MAX_TARGETS 16
#define MAX_COLUMNS (MAX_MODELS + MAX_TARGETS)

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

struct options {
	struct files files;
	unsigned nr_models;		/* 0: the model of each test's dialect */
	const char *model[MAX_MODELS];
	enum format format;
	/* compilers for C tests; 0: tests are judged as written */
	unsigned nr_targets;
	const char *target[MAX_TARGETS];
	const char *flags;		/* of the compilers; NULL: -O2 */
	const char *root;		/* of the tree of nap, for its atomics */
	bool listing;
	bool compare, expect;
	const char *against;		/* a CSV file, or NULL */
	bool states, why, quiet;
	const char *dot, *svg;		/* a directory, or NULL */
	const char *html;		/* a file, or NULL */
	struct limits limits;
	struct run_options run;
	const char *results;		/* a file of what was seen, or NULL */
	const char *bundle;		/* a directory to make, or NULL */
	const char *cycle;		/* the cycle to make a test of, or NULL */
	const char *dialect, *name;	/* of that test */
};

/* Reads the options. Exits, with a message, at an unknown one; and after --help and the like. */
void options_read(struct options *options, int argc, char **argv);

#endif /* NAP_LITMUS_OPTIONS_H */
