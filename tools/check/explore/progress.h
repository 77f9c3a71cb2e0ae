/* SPDX-License-Identifier: MIT */
/*
 * A line on standard error from time to time, with an estimate of what is left (--progress). The
 * search is taken for a tree: each alternative that a run notes has half of what was left there, the
 * oldest first. What has been run is then a part of 1, and 1 at the end (after Knuth, Estimating the
 * Efficiency of Backtrack Programs, Mathematics of Computation 1975).
 */
#ifndef NAP_CHECK_PROGRESS_H
#define NAP_CHECK_PROGRESS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

#define PROGRESS_INTERVAL 1.0	/* seconds between two lines */
extern bool progress_wanted;
extern double progress_share;	/* of the whole: what this process has run, or found to be nothing */

void progress_begin(void);
/* An alternative with the share @of was taken, or, first, the whole. */
void progress_take(double of);
/* Shares what was taken among the alternatives noted since. @ran: a graph was run; else only made. */
void progress_divide(bool ran);
/* Prints the line, if one is due. @share: of all processes. */
void progress_print(unsigned long executions, unsigned long blocked, double share);
bool progress_is_due(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_PROGRESS_H */
