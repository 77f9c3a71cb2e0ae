/* SPDX-License-Identifier: MIT */
/* Waits whose holders are known, and circles of them: holders.c. */
#ifndef NAP_CHECK_HOLDERS_H
#define NAP_CHECK_HOLDERS_H

#include "program/threads.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

/*
 * Returns the lowest of the threads that wait for ever for each other in a circle, or MAX_THREADS.
 */
unsigned stuck_in_circle(void);

/* Says what thread @number waits for, and which thread holds it: "the mutex m, which T1 holds". */
void describe_held(unsigned number, char *out, size_t size);

/* Appends what the other threads of @number's circle wait for; nothing if there is no circle. */
void describe_circle(unsigned number, char *out, size_t size);

#pragma GCC visibility pop

#endif /* NAP_CHECK_HOLDERS_H */
