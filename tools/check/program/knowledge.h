/* SPDX-License-Identifier: MIT */
/*
 * What the executions of a search have taught of the program, without which those to come would be
 * other ones: for a search that goes on in another process (explore/saving.h).
 */
#ifndef NAP_CHECK_KNOWLEDGE_H
#define NAP_CHECK_KNOWLEDGE_H

#include <stdbool.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

void knowledge_write(FILE *out);
bool knowledge_read(FILE *in);		/* false: it is none */

/* A sum of the states of the execution before, where what is known of waits depends on them; else 0. */
unsigned long knowledge_states(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_KNOWLEDGE_H */
