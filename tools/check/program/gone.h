/* SPDX-License-Identifier: MIT */
/* Frames that were left, while another thread may still use what was in them. */
#ifndef NAP_CHECK_GONE_H
#define NAP_CHECK_GONE_H

#include <stdbool.h>
#include <stdint.h>

#include "program/threads.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

extern unsigned nr_visits;	/* to other threads' stacks, in this execution */

/* When an execution begins. */
static inline void visits_begin(void)
{
	nr_visits = 0;
}

/*
 * The running thread uses @address, on the stack of another thread: a fault if its frame was left.
 */
void visit_stack(uintptr_t address, uintptr_t pc);

/*
 * The running thread has left all frames below @sp: a fault if another thread has used what was
 * there, and that does not happen before this.
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
