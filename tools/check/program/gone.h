/* SPDX-License-Identifier: MIT */
/* Frames that were left, while another thread may still use their variables. */
#ifndef NAP_CHECK_GONE_H
#define NAP_CHECK_GONE_H

#include <stdbool.h>
#include <stdint.h>

#include "program/threads.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

extern unsigned nr_visits;	/* of other threads' stacks, in this execution */

/* Called when an execution begins. */
static inline void visits_begin(void)
{
	nr_visits = 0;
}

/*
 * Notes that the running thread uses @address on another thread's stack. Reports a fault if the
 * frame at @address was left.
 */
void visit_stack(uintptr_t address, uintptr_t pc);

/*
 * Notes that the running thread has left all frames below @sp. Reports a fault if another thread
 * has used such a frame, and this use does not happen before the leaving.
 */
void leave_frames_below(uintptr_t sp);
static inline void left_frames(uintptr_t sp)
{
	if (sp)
		threads[self].frames = sp;
	if (__builtin_expect(nr_visits && sp, 0))
		leave_frames_below(sp);
}

#pragma GCC visibility pop

#endif /* NAP_CHECK_GONE_H */
