/* SPDX-License-Identifier: MIT */
/*
 * What other threads have written into the running thread's stack. turns.c recognises iterations by
 * the thread's state, and these writes are no part of that state: the order in which threads run
 * decides when they are there, and the graph does not. The thread learns of them by its reads.
 */
#ifndef NAP_CHECK_FOREIGN_WRITES_H
#define NAP_CHECK_FOREIGN_WRITES_H

#include "program/shadow.h"
#include "program/threads.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

extern unsigned nr_foreign;	/* bytes, in this execution */

/* Called when an execution begins. */
static inline void foreign_begin(void)
{
	nr_foreign = 0;
}

/* Notes that the running thread is about to write there. */
void foreign_note(uintptr_t address, size_t size);
static inline void foreign_write(uintptr_t address, size_t size)
{
	if (memory_is_stack(address) && (nr_foreign || !is_on_own_stack(address)))
		foreign_note(address, size);
}

/* Notes that the running thread writes @value, which another thread's newer write has replaced. */
void foreign_older(uintptr_t address, const void *value, size_t size);

/*
 * For the stack of the running thread from @sp on: foreign_hide() puts back what was there before
 * other threads wrote; foreign_show() puts back what they have written.
 */
void foreign_hide(uintptr_t sp);
void foreign_show(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_FOREIGN_WRITES_H */
