/* SPDX-License-Identifier: MIT */
/*
 * What the executions of a search have taught about siblings, and where executions were left out
 * before that was known: siblings_learnt.c. Parts of a search put what they know together, and so
 * does a search that goes on in another process.
 */
#ifndef NAP_CHECK_SIBLINGS_LEARNT_H
#define NAP_CHECK_SIBLINGS_LEARNT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

void siblings_clear(void);		/* when another scenario begins */
void siblings_search(void);		/* when a search begins: nothing is left out yet */

/* Threads that are no siblings, a bit each. False: something was left out as if they were. */
bool siblings_learn(uint32_t those);
bool siblings_are_apart(uint32_t those);	/* whether one of them is no sibling */

/*
 * Notes that siblings are not alike at the location, because of its other writes. False: something
 * was left out there as if they were.
 */
bool siblings_mix(unsigned location);
bool siblings_are_mixed(unsigned location);

/* Notes that something was left out at the location, because @those threads are siblings. */
void siblings_stand_in(uint32_t those, unsigned location);
bool siblings_stood_at(unsigned location);

/*
 * siblings_write() writes all of this, and siblings_read() adds what another process has written.
 * siblings_hold(): false if a process has left out what another one has learnt to explore.
 */
void siblings_write(FILE *out);
bool siblings_read(FILE *in);		/* false: @in has something else */
bool siblings_hold(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_SIBLINGS_LEARNT_H */
