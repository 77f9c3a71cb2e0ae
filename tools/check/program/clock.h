/* SPDX-License-Identifier: MIT */
/*
 * Time, as the program sees it. Each thread has a clock, which is 0 at the start of each execution
 * and stands still until a wait of the thread times out. Then it becomes the deadline of that wait.
 * So a deadline that was waited for has passed, and executions can be repeated.
 */
#ifndef NAP_CHECK_CLOCK_H
#define NAP_CHECK_CLOCK_H

#include <time.h>

#include "program/threads.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

extern struct timespec clocks[MAX_THREADS + 1];	/* the last one is for the caller that is no thread */

void clock_begin(void);		/* when an execution begins */

/* The running thread has waited for @deadline, of any clock, with the result @err. Returns @err. */
int clock_waited(const struct timespec *deadline, int err);

/* The same for a time from now on. */
int clock_waited_for(const struct timespec *time, int err);

#pragma GCC visibility pop

#endif /* NAP_CHECK_CLOCK_H */
