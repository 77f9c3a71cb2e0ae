/* SPDX-License-Identifier: MIT */
/*
 * A line on standard error from time to time, with an estimate of what is left (--progress). The
 * whole search counts as 1. What a run stands for is shared out: the oldest alternative that it
 * notes has one half, the next a quarter, and so on; the rest counts as done. So what is done grows
 * from 0 to 1 (after Knuth, Estimating the Efficiency of Backtrack Programs, Mathematics of
 * Computation 1975).
 */
#ifndef NAP_CHECK_PROGRESS_H
#define NAP_CHECK_PROGRESS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

#define PROGRESS_INTERVAL 1.0	/* seconds between two lines */
extern bool progress_wanted;
extern double progress_share;	/* what this process has done of the whole */

void progress_begin(void);
/* Notes that an alternative with the share @of was taken. (At first the whole is.) */
void progress_take(double of);
/*
 * Divides the share of the alternative that was taken among the alternatives that were noted since.
 * @ran: a graph was run, and not only made.
 */
void progress_divide(bool ran);
/* Prints the line, if one is due. @share: of all processes. */
void progress_print(unsigned long executions, unsigned long blocked, double share);
bool progress_is_due(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_PROGRESS_H */
