/* SPDX-License-Identifier: MIT */
/* Who calls the checker: for what programs, and compilers on their behalf, call. */
#ifndef NAP_CHECK_CALLER_H
#define NAP_CHECK_CALLER_H

#include <stdint.h>

#include "program/threads.h"
#include "program/turns.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

#define PC ((uintptr_t)__builtin_return_address(0))

/* Not by one of the program's threads: there is nobody to wait for. */
#define OUTSIDE (self == MAX_THREADS)

/*
 * Where the thread's stack ended when it called the checker, and from where, for the operation that
 * begins: set by what it calls. Of another place it says nothing: of a lock's, say, which knows by itself
 * that it waits.
 */
extern uintptr_t caller_sp, caller_pc;
#define OP_PC (caller_sp = (uintptr_t)__builtin_frame_address(0) + 16, caller_pc = PC)

/* Once: what the checker does in a loop of its own is no turn of the program's. */
static inline uintptr_t take_sp(uintptr_t pc)
{
	uintptr_t sp = caller_pc == pc && caller_sp - own_stack < STACK_SIZE ? caller_sp : 0;

	caller_sp = 0;
	return sp;
}

#pragma GCC visibility pop

#endif /* NAP_CHECK_CALLER_H */
