/* SPDX-License-Identifier: MIT */
/* nap-litmus --run: tests are run on this machine, and what was seen is judged. */
#ifndef NAP_LITMUS_TOOL_RUN_H
#define NAP_LITMUS_TOOL_RUN_H

#include <stdbool.h>
#include <stdint.h>

struct options;

/* 1000, 5k, 1M, 2G; false: it is no such number. */
bool run_number(const char *argument, uint64_t *number);
/*
 * All of the options' files, C as each of the compilers makes it; and the totals, if there is more
 * than one. The exit status.
 */
int run_files(struct options *options);

#endif /* NAP_LITMUS_TOOL_RUN_H */
