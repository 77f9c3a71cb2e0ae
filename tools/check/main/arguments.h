/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_ARGUMENTS_H
#define NAP_CHECK_ARGUMENTS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* Takes main()'s arguments from the command line. Returns how many words are the checker's. */
int take_arguments(int argc, char **argv);

/* Whether the program has main(). */
bool has_main(void);

/* A thread's function: runs the program's main(), and then ends the program. */
void run_main(void *arg);

#pragma GCC visibility pop

#endif /* NAP_CHECK_ARGUMENTS_H */
