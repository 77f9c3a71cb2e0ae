/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_LIBC_H
#define NAP_CHECK_LIBC_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/*
 * In this execution main() has returned, or a thread has called exit(). The end waits for no
 * other thread.
 */
extern bool program_ended;
extern unsigned program_ended_by;	/* the thread that returned or called */
_Noreturn void program_ends(int status, uintptr_t pc);

/* ends.c: as program_ends(), after the handlers of the end have run. */
_Noreturn void program_exits(int status, uintptr_t pc);

#pragma GCC visibility pop

#endif /* NAP_CHECK_LIBC_H */
