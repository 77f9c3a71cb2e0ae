/* SPDX-License-Identifier: MIT */
/* Loops that are given up after a number of iterations: unroll.c. */
#ifndef NAP_CHECK_UNROLL_H
#define NAP_CHECK_UNROLL_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

extern unsigned unroll;		/* iterations, at most; 0: no bound */

/*
 * Counts the operation that the running thread is about to do at @pc, with its stack ending at
 * @sp (0: unknown). Does not return if the thread has been here more than @unroll times in this
 * execution.
 */
void unroll_at(uintptr_t pc, uintptr_t sp);

/* Whether the bound has cut an execution short since the search began. */
extern bool unroll_was_met;

#pragma GCC visibility pop

#endif /* NAP_CHECK_UNROLL_H */
