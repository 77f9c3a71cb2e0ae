/* SPDX-License-Identifier: MIT */
/*
 * Time, as the program sees it. Each thread has a clock, which is 0 at the start of each
 * execution and stands still until a wait of the thread times out. Then the clock becomes the
 * deadline. So a deadline that a thread has waited for has passed, and executions can be
 * repeated.
 */
#ifndef NAP_CHECK_CLOCK_H
#define NAP_CHECK_CLOCK_H

#include <time.h>

#include "program/threads.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

extern struct timespec clocks[MAX_THREADS + 1];	/* the last is for a caller that is no thread */

void clock_begin(void);		/* when an execution begins */

/* Notes that the running thread has waited for @deadline, of any clock. Returns @err. */
int clock_waited(const struct timespec *deadline, int err);

/* As clock_waited(), for a time from now on. */
int clock_waited_for(const struct timespec *time, int err);

#pragma GCC visibility pop

#endif /* NAP_CHECK_CLOCK_H */
