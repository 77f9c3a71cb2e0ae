/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_TURNS_H
#define NAP_CHECK_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "program/memory.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

/*
 * How an iteration of a loop that changes nothing is recognised. By its state: the thread is at the
 * same place, and its stack is the same; for programs that keep nothing in registers in between
 * (-O0). Else by its yields (spin.c).
 */
extern bool turns_by_state;

/* Plain writes of the running thread outside of its stack, which begins at @own_stack. */
extern unsigned long writes_elsewhere;
extern uintptr_t own_stack;

void turns_begin(void);		/* when an execution begins */

/*
 * The thread is about to do the operation at @pc, or yields there, and its stack ends at @sp. If it
 * was here before, and has changed nothing since, it goes no further until something that it has
 * read is newer.
 */
void turn_at(uintptr_t pc, uintptr_t sp);

/*
 * The checker works on the program's stack. What it leaves below the end of that stack disturbs a
 * comparison as soon as the program's own functions have their frames there: wipe it, as far as
 * those may go.
 */
void wipe_stack(void);
static inline void leave_checker(void)
{
	if (turns_by_state)
		wipe_stack();
}

/*
 * Plain accesses that may follow before the next operation, or another thread's; then call
 * turn_plain().
 */
#define MAX_PLAIN	1000000
extern unsigned long plain_left;
void turn_plain(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_TURNS_H */
