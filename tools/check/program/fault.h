/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_FAULT_H
#define NAP_CHECK_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

/* The first fault of this execution. */
struct fault {
	bool found;
	char text[512];
	uintptr_t pc, other_pc;
	unsigned by;		/* the thread; MAX_THREADS: none */
};
extern struct fault fault;

/* This execution is a counterexample; @pc and @other_pc (or 0): where. */
_Noreturn void fault_at(uintptr_t pc, uintptr_t other_pc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A fault: the running thread has more than @size bytes on its stack. */
_Noreturn void stack_used_up(size_t size, uintptr_t pc);

/* A fault if the running thread, whose stack ends at @sp, has more on it than --stack allows. */
void look_at_depth(uintptr_t sp, uintptr_t pc);

/*
 * A fault if @sp is below the stack of the running thread and in no object of the program: a large
 * frame.
 */
void look_below_stack(uintptr_t sp, uintptr_t pc);

/* Faults of the program's own (SIGSEGV and the like) become faults of the execution. */
void catch_signals(void);

/*
 * Check from time to time whether the search has used up its time, whatever the program does; call
 * it after catch_signals().
 */
void tick(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_FAULT_H */
