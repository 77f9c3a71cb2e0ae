/* SPDX-License-Identifier: MIT */
/*
 * Siblings: threads that one thread starts one after the other, with the same function and
 * argument. Executions in which two siblings have changed places are alike, and one of them is
 * explored (siblings.c).
 */
#ifndef NAP_CHECK_SIBLINGS_H
#define NAP_CHECK_SIBLINGS_H

#include "program/memory.h"
#include "program/threads.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

void siblings_begin(void);		/* when an execution begins */
bool siblings_end(void);		/* when it has ended; false: earlier executions are void */

/*
 * The running thread has started the thread @number. siblings_watch() is called when the thread's
 * handle has been written to @handle.
 */
void sibling_starts(unsigned number, const void *run, const void *arg, bool detached);
void siblings_watch(unsigned number, const void *handle);

/* The running thread is about to join the thread @number. */
void sibling_joined(unsigned number);

/*
 * The program can tell these threads, a bit each, from others: by a thread's number, by what it
 * returns, or by an address in its memory. Such threads are no siblings.
 */
void siblings_differ(uint32_t those);

/* The program has read @value from memory that threads share: it may be such an address. */
void siblings_met(uint64_t value);
static inline void siblings_may_meet(uint64_t value, unsigned size)
{
	if (__builtin_expect(size == 8 && value - MEMORY_BASE < MEMORY_SIZE, 0))
		siblings_met(value);
}

/* Threads that start siblings, or join them, and may do nothing else in between; a bit each. */
extern uint32_t siblings_watched;
void siblings_see(const struct event *e);		/* an event of the running thread */
void siblings_touch(uintptr_t address, bool write);	/* a plain access of that thread */

/* Drops those of the @nr writes for @e that a sibling reads in its place. Returns how many stay. */
unsigned siblings_leave(const struct event *e, uint16_t *candidates, unsigned nr);

/* The running thread has added the write @e, no half of a read-modify-write. */
void siblings_stored(const struct event *e);

#pragma GCC visibility pop

#endif /* NAP_CHECK_SIBLINGS_H */
