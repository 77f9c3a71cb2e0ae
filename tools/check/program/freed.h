/* SPDX-License-Identifier: MIT */
/* Objects that were freed in an execution and may be allocated again: freed.c. */
#ifndef NAP_CHECK_FREED_H
#define NAP_CHECK_FREED_H

#include "program/heap.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

extern bool reuse_wanted;	/* a thread may get back objects that it has freed */
extern unsigned nr_freed;	/* objects, in this execution and by setup */
extern unsigned nr_reused;	/* of these, allocated again in this execution */

/* Notes that the running thread, or setup, frees @object. */
void freed_note(struct object *object);

/*
 * Returns the object of @size bytes that the running thread has freed last, or NULL. Whether the
 * object is allocated again is a choice: the search explores both.
 */
struct object *freed_again(size_t size, uintptr_t pc);

/* Forgets all freed objects except the first @kept. */
void freed_undo(unsigned kept);

#pragma GCC visibility pop

#endif /* NAP_CHECK_FREED_H */
