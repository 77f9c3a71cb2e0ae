/* SPDX-License-Identifier: MIT */
/* nap-litmus --run: runs tests on this machine, and judges what was seen. */
#ifndef NAP_LITMUS_TOOL_RUN_H
#define NAP_LITMUS_TOOL_RUN_H

#include <stdbool.h>
#include <stdint.h>

struct options;

/* Reads 1000, 5k, 1M, 2G; false: it is no such number. */
bool run_number(const char *argument, uint64_t *number);
/*
 * Runs all of the options' files, C by each of the compilers; prints totals if there is more than
 * one. Returns the exit status.
 */
int run_files(struct options *options);

#endif /* NAP_LITMUS_TOOL_RUN_H */
