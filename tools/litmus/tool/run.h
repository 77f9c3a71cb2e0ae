/* SPDX-License-Identifier: MIT */
/* nap-litmus --run: runs tests on this machine, or a bundle of them on another, and judges. */
#ifndef NAP_LITMUS_TOOL_RUN_H
#define NAP_LITMUS_TOOL_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/options.h"

/* Reads 1000, 5k, 1M, 2G; false: it is no such number. */
bool run_number(const char *argument, uint64_t *number);
/*
 * Runs all of the options' files, C by each of the compilers; prints totals if there is more than
 * one. Returns the exit status.
 */
int run_files(struct options *options);
/* Judges what is in the options' file of results. Prints and returns the same as run_files(). */
int run_results(struct options *options);
/* Writes the files into the options' bundle. Returns the exit status. */
int run_bundle(struct options *options);

/* Runs, or judges, a test: assembly as it is, C by each of the options' compilers. */
void run_parsed(const struct options *options, struct test *test);
/* Counts a test that cannot be run, and says why. */
void refuse_run(const struct text *text);

/* results.c: judges each section of the file, and counts them in @nr. */
void results_read(const struct options *options, struct text *file, unsigned *nr);

#endif /* NAP_LITMUS_TOOL_RUN_H */
