/* SPDX-License-Identifier: MIT */
/* Threads that stop for ever: stop.c. */
#ifndef NAP_CHECK_STOP_H
#define NAP_CHECK_STOP_H

#include "program/caller.h"
#include "program/ops.h"
#include "program/scenario.h"
#include "program/unroll.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

void stop_or_go_on(uintptr_t pc);

/*
 * Begins the running thread's next operation, at @pc. The plain writes before it are in memory
 * now, and the thread may stop.
 */
static inline void next_operation(uintptr_t pc)
{
	uintptr_t sp = take_sp(pc);

	settle();
	if (turns_by_state)
		turn_at(pc, sp);
	if (__builtin_expect(unroll, 0))
		unroll_at(pc, sp);
	if (__builtin_expect(may_stop >> self & 1, 0))
		stop_or_go_on(pc);
}

void stops_clear(void);		/* when a search begins */
void stops_note(void);		/* when an execution is complete */

/*
 * Adds @also to the threads that have stopped in some execution, a bit each; returns all of them.
 */
uint32_t stops_seen(uint32_t also);

/* Returns a thread that may stop, and has stopped in no execution; or -1. */
int never_stopped(void);

/* Writes ", T1 has stopped" and so on, of this execution; or nothing. */
void describe_stopped(char *out, size_t size);

#pragma GCC visibility pop

#endif /* NAP_CHECK_STOP_H */
