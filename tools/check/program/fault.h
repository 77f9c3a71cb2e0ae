/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_FAULT_H
#define NAP_CHECK_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/callers.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* The first fault of the execution. */
struct fault {
	bool found;
	char text[512];
	uintptr_t pc, other_pc;
	uintptr_t other_key;	/* callers_watch() */
	unsigned other_by, other_clock;	/* as a record of cells.h has it; 0: not known */
	struct callers callers, other_callers;
	bool waits;		/* a thread waits for ever */
	unsigned by;		/* the thread whose fault it is; MAX_THREADS: none */
	unsigned executed;	/* with --all-faults: how many events were executed before it */
	bool behind_race;	/* with --all-faults: after a data race, which may be its cause */
};
extern struct fault fault;

/* Makes this execution a counterexample. The fault is at @pc, and at @other_pc unless 0. */
_Noreturn void fault_at(uintptr_t pc, uintptr_t other_pc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* As fault_at(), of a data race. Returns if the access is to happen (faults.h). */
void race_at(uintptr_t pc, uintptr_t other_pc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Reports a fault: the running thread has more than @size bytes on its stack. */
_Noreturn void stack_used_up(size_t size, uintptr_t pc);

/* Reports a fault if the running thread, whose stack ends at @sp, exceeds --stack. */
void look_at_depth(uintptr_t sp, uintptr_t pc);

/*
 * Reports a fault if @sp is below the running thread's stack and in no object of the program, as
 * after a large frame.
 */
void look_below_stack(uintptr_t sp, uintptr_t pc);

/* Makes faults of the program's own (SIGSEGV and the like) faults of the execution. */
void catch_signals(void);

/*
 * Checks from now on, whatever the program does, whether the search has used up its time. Call
 * this after catch_signals().
 */
void tick(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_FAULT_H */
