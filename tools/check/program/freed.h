/* SPDX-License-Identifier: MIT */
/* What was freed in an execution and may be allocated again: freed.c. */
#ifndef NAP_CHECK_FREED_H
#define NAP_CHECK_FREED_H

#include "program/heap.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

extern bool reuse_wanted;	/* a thread may get again what it has freed */
extern unsigned nr_freed;	/* objects, in this execution and by setup */
extern unsigned nr_reused;	/* of those, so far in this execution */

/* The running thread, or setup, frees @object. */
void freed_note(struct object *object);

/*
 * The object of @size bytes that the running thread has freed last, if it is to be allocated again;
 * or NULL. This is a choice: both are explored.
 */
struct object *freed_again(size_t size, uintptr_t pc);

/* Forget all but the first @kept that were freed. */
void freed_undo(unsigned kept);

#pragma GCC visibility pop

#endif /* NAP_CHECK_FREED_H */
