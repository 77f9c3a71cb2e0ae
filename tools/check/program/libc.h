/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_LIBC_H
#define NAP_CHECK_LIBC_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

/*
 * In this execution main() has returned, or a thread has called exit(): the end waits for no other
 * thread.
 */
extern bool program_ended;
extern unsigned program_ended_by;	/* that thread */
_Noreturn void program_ends(int status, uintptr_t pc);

/* ends.c: the same, after what is to be done at its end. */
_Noreturn void program_exits(int status, uintptr_t pc);

#pragma GCC visibility pop

#endif /* NAP_CHECK_LIBC_H */
