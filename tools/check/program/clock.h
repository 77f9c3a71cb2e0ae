/* SPDX-License-Identifier: MIT */
/*
 * Time, as the program sees it: each thread has a clock, which begins at 0 in each execution and stands
 * still, until a wait of the thread's has timed out. Then it is the wait's deadline. So a deadline that was
 * waited for is over, and executions can be repeated.
 */
#ifndef NAP_CHECK_CLOCK_H
#define NAP_CHECK_CLOCK_H

#include <time.h>

#include "program/threads.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

extern struct timespec clocks[MAX_THREADS + 1];	/* the last is nobody's: outside of threads */

void clock_begin(void);		/* when an execution begins */

/* The running thread has waited for @deadline, of whatever clock, and got @err. Returns @err. */
int clock_waited(const struct timespec *deadline, int err);

/* The same for a time from now on. */
int clock_waited_for(const struct timespec *time, int err);

#pragma GCC visibility pop

#endif /* NAP_CHECK_CLOCK_H */
