/* SPDX-License-Identifier: MIT */
/* Compare-exchanges that have failed and are tried again: retries.c. */
#ifndef NAP_CHECK_RETRIES_H
#define NAP_CHECK_RETRIES_H

#include "program/awaits.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

void retries_begin(void);		/* when an execution begins */

/*
 * Notes that the running thread begins an operation, and what it has written outside of its stack
 * since its last one. @all: that is all.
 */
void retries_note(const struct await_wrote *wrote, unsigned nr, bool all);

/*
 * Whether the running thread, which begins an operation at @pc, would be in the same state without
 * the compare-exchange that it tries again. @since: operations begun since its last event; @state,
 * @writes: hashes of its state, and of its writes since its last operation. After retries_note().
 */
bool retry_is_needless(uintptr_t pc, unsigned since, uint64_t state, uint64_t writes);

#pragma GCC visibility pop

#endif /* NAP_CHECK_RETRIES_H */
