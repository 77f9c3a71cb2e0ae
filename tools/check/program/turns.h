/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_TURNS_H
#define NAP_CHECK_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "program/memory.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/*
 * How an iteration that changes nothing is recognised. True: by the thread's state, its place and
 * its stack, for programs that keep nothing in registers in between (-O0). False: by its yields
 * (spin.c).
 */
extern bool turns_by_state;

/* Plain writes of the running thread outside of its stack, which begins at @own_stack. */
extern unsigned long writes_elsewhere;
extern uintptr_t own_stack;

/* Calls of the checker by the program, other than plain accesses. */
extern unsigned long calls_of_checker;

/* Notes a plain write outside of the thread's stack. */
void await_wrote(uintptr_t address, size_t size);
static inline void wrote_elsewhere(uintptr_t address, size_t size)
{
	writes_elsewhere++;
	if (turns_by_state)
		await_wrote(address, size);
}

void turns_begin(void);		/* when an execution begins */

/*
 * Notes that the thread is about to do the operation at @pc, or yields there, and that its stack
 * ends at @sp. If the thread was here before and has changed nothing since, it goes no further
 * until something that it has read is newer.
 */
void turn_at(uintptr_t pc, uintptr_t sp);

/*
 * The checker works on the program's stack. What the checker leaves below the end of the stack
 * would disturb a comparison as soon as frames of the program's own functions cover it. So that
 * part of the stack is wiped, as far down as those frames may go.
 */
void wipe_stack(void);
static inline void leave_checker(void)
{
	if (turns_by_state)
		wipe_stack();
}

/*
 * How many more plain accesses may come before the next operation of any thread. Then turn_plain()
 * is called.
 */
#define MAX_PLAIN	1000000
extern unsigned long plain_left;
void turn_plain(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_TURNS_H */
