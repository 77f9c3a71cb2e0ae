/* SPDX-License-Identifier: MIT */
/*
 * What the executions of a search have taught of siblings, and where something was left out without
 * knowing it: siblings_learnt.c. The parts of a search, and a search that goes on in another
 * process, put theirs together.
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
bool siblings_are_apart(uint32_t those);	/* whether one of them is none */

/* The location has writes for which no sibling stands. False: something was left out there. */
bool siblings_mix(unsigned location);
bool siblings_are_mixed(unsigned location);

/* Notes that something was left out at the location, because @those threads are siblings. */
void siblings_stand_in(uint32_t those, unsigned location);
bool siblings_stood_at(unsigned location);

/*
 * siblings_write() writes all of this, and siblings_read() adds what another process has written.
 * siblings_hold(): whether no process has left out what another has learnt not to leave out.
 */
void siblings_write(FILE *out);
bool siblings_read(FILE *in);		/* false: it is none */
bool siblings_hold(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_SIBLINGS_LEARNT_H */
