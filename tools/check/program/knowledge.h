/* SPDX-License-Identifier: MIT */
/*
 * What a search has learnt of the program from its executions, for a search that goes on in another
 * process (explore/saving.h). Without it the executions there would be different.
 */
#ifndef NAP_CHECK_KNOWLEDGE_H
#define NAP_CHECK_KNOWLEDGE_H

#include <stdbool.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

void knowledge_write(FILE *out);
bool knowledge_read(FILE *in);		/* false: @in has something else */

/*
 * Returns a sum of the states of the last execution, if what is known of waits depends on them;
 * else 0.
 */
unsigned long knowledge_states(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_KNOWLEDGE_H */
