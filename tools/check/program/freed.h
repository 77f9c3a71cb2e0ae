/* SPDX-License-Identifier: MIT */
/* Objects that were freed in an execution and may be allocated again: freed.c. */
#ifndef NAP_CHECK_FREED_H
#define NAP_CHECK_FREED_H

#include "program/heap.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

enum reuse { REUSE_IF_COMPARED, REUSE_ALWAYS, REUSE_NEVER };
extern enum reuse reuse_mode;
extern bool reuse_wanted;	/* a thread may get back objects that it has freed */
extern unsigned nr_freed;	/* objects, in this execution and by setup */
extern unsigned nr_reused;	/* of these, allocated again in this execution */

void reuse_begin(void);		/* when another scenario begins */

/*
 * The running thread compares and exchanges, and expects @value. If this is a pointer to the heap,
 * REUSE_IF_COMPARED begins the search anew with @reuse_wanted: only a comparison takes an object in
 * the place of an earlier one for that one.
 */
void reuse_if_pointer(uint64_t value);

/* Notes that the running thread, or setup, frees @object. */
void freed_note(struct object *object);

/*
 * Takes back the object of @size bytes that the running thread has freed last; NULL: there is none,
 * or it is not allocated again. This is a choice: the search explores both.
 */
struct object *freed_again(size_t size, uintptr_t pc);

/* Forgets all freed objects except the first @kept. */
void freed_undo(unsigned kept);

#pragma GCC visibility pop

#endif /* NAP_CHECK_FREED_H */
