/* SPDX-License-Identifier: MIT */
/* The caller of the checker, for functions that programs call, or compilers on their behalf. */
#ifndef NAP_CHECK_CALLER_H
#define NAP_CHECK_CALLER_H

#include <stdint.h>

#include "program/fault.h"
#include "program/gone.h"
#include "program/turns.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* The caller is none of the program's threads, and waits for no other thread. */
#define OUTSIDE (self == MAX_THREADS)

/* Notes that the running thread, whose stack ends at @sp, has called the checker; returns @pc. */
static inline uintptr_t called(uintptr_t sp, uintptr_t pc)
{
	calls_of_checker++;
	if (__builtin_expect(sp - own_stack < STACK_SIZE, 1))
		left_frames(sp);
	else
		look_below_stack(sp, pc);
	if (__builtin_expect(stack_limit, 0))
		look_at_depth(sp, pc);
	return pc;
}

/*
 * RETURN_PC is where the checker was called; the stack of the calling function ended at
 * CALLER_SP. Plain accesses, of which there are many, use RETURN_PC and make no further checks.
 */
#define RETURN_PC	((uintptr_t)__builtin_return_address(0))
#define CALLER_SP	((uintptr_t)__builtin_frame_address(0) + 16)
#define PC		called(CALLER_SP, RETURN_PC)

/*
 * As PC, for an operation that may begin an iteration of a loop. Only functions that the program
 * calls set these two words. The checker's own loops do not: a lock, for example, knows that it
 * waits.
 */
extern uintptr_t caller_sp, caller_pc;
#define OP_PC (caller_sp = CALLER_SP, caller_pc = called(caller_sp, RETURN_PC))

/* Takes @caller_sp once: an iteration of a loop of the checker's own is none of the program's. */
static inline uintptr_t take_sp(uintptr_t pc)
{
	uintptr_t sp = caller_pc == pc && caller_sp - own_stack < STACK_SIZE ? caller_sp : 0;

	caller_sp = 0;
	return sp;
}

#pragma GCC visibility pop

#endif /* NAP_CHECK_CALLER_H */
