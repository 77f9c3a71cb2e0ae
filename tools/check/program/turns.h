/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_TURNS_H
#define NAP_CHECK_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "program/memory.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

/*
 * How a turn of a loop that changes nothing is recognised. By its state: the thread is where it was,
 * and its stack is as it was; for programs that keep nothing in registers in between (-O0). Else by
 * its yields (spin.c).
 */
extern bool turns_by_state;

/* Writes of the running thread outside of its stack, which begins at @own_stack: plain ones. */
extern unsigned long writes_elsewhere;
extern uintptr_t own_stack;

void turns_begin(void);		/* when an execution begins */

/*
 * The thread is about to do the operation at @pc, or yields there, its stack ending at @sp. If it was
 * here before, and has changed nothing since, it goes no further until something is newer that it has
 * read.
 */
void turn_at(uintptr_t pc, uintptr_t sp);

/*
 * The checker works on the program's stack. What it leaves below is in the way of a comparison as soon
 * as the program's own functions have their frames there: it is wiped off, as far as those may go.
 */
void wipe_stack(void);
static inline void leave_checker(void)
{
	if (turns_by_state)
		wipe_stack();
}

/* Plain accesses that may follow before the next operation, or another thread's; then turn_plain(). */
#define MAX_PLAIN	1000000
extern unsigned long plain_left;
void turn_plain(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_TURNS_H */
