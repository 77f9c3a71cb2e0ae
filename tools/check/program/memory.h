/* SPDX-License-Identifier: MIT */
/* All memory that the program can write, restored before each execution: memory.c. */
#ifndef NAP_CHECK_MEMORY_H
#define NAP_CHECK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/vector.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

#define MEMORY_BASE	((uintptr_t)0x100000000000)
#define ARENA_SIZE	((size_t)1 << 20)	/* one for each thread, and one for setup */
/*
 * The checker works on the thread's stack and walks the graph there: at worst some 300 bytes an
 * event. The rest of the stack, 0.8 MiB at least, is for the program. Below each stack there is as
 * much memory again that cannot be accessed, so that a large frame does not reach the next thread's
 * stack.
 */
#define STACK_SIZE	((size_t)2 << 20)
#define STACK_STEP	(2 * STACK_SIZE)
#define HEAP_SIZE	((MAX_THREADS + 1) * ARENA_SIZE)
#define MEMORY_SIZE	(HEAP_SIZE + MAX_THREADS * STACK_STEP)

extern size_t stack_limit;		/* bytes of stack that a thread may use; or 0: all */

void memory_restore(void);		/* to the state at the program's beginning */
void memory_forget_setup(void);
void memory_snapshot(void);		/* after setup: every execution begins with this state */
void memory_reset(void);
void memory_clear_stack(unsigned thread);	/* for a thread that begins */
uintptr_t memory_stack(unsigned thread);	/* the top of the stack */
/* After a fault: makes the depth of a stack accessible, and returns whether @address is there. */
bool memory_open_stack(uintptr_t address);
uintptr_t memory_opened_stack(unsigned thread);	/* where the accessible part of the stack begins */
bool memory_is_stack(uintptr_t address);
unsigned memory_thread(uintptr_t address);	/* the thread whose stack has @address */
/* Returns a sum that differs between programs, and between two compilations of a program. */
uint64_t memory_code_sum(void);

bool memory_is_code(uintptr_t address);		/* of the program, not of a library */
void memory_data(void (*visit)(uintptr_t begin, uintptr_t end));
bool memory_is_data(uintptr_t address);		/* static, writable, of the program */
bool memory_below_stack(uintptr_t address, unsigned thread);	/* memory that cannot be accessed */

static inline bool memory_in_arena(uintptr_t address)
{
	return address - MEMORY_BASE < HEAP_SIZE;
}

#pragma GCC visibility pop

#endif /* NAP_CHECK_MEMORY_H */
