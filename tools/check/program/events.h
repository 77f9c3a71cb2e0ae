/* SPDX-License-Identifier: MIT */
/* Adding events to the graph, for ops.c and hidden.c, which know what the events stand for. */
#ifndef NAP_CHECK_EVENTS_H
#define NAP_CHECK_EVENTS_H

#include "program/threads.h"

/* Adds the running thread's next event; the caller fills in the rest and calls graph_compute(). */
struct event *add_event(enum kind kind, unsigned flags, uintptr_t pc);

/* Add an access, choose what it reads or its position in co, and note the alternatives. */
struct event *add_read(unsigned location, unsigned order, enum rmw rmw, uint64_t operand,
		       uint64_t expected, unsigned fail_order, unsigned flags, uintptr_t pc);
struct event *add_write(unsigned location, uint64_t value, unsigned order, unsigned flags,
			uintptr_t pc);

/* Gives up the search unless @e, which the graph has recorded, is this operation. */
static inline void same_as_recorded(const struct event *e, enum kind kind, unsigned location)
{
	if (e->kind != kind || (is_access(e) && e->location != location))
		give_up("the program does not repeat itself: another event than before");
}

/*
 * Executes both halves of a read-modify-write, recorded or new; calls @done for each half after
 * its execution. Returns the old value.
 */
uint64_t rmw_events(unsigned location, enum rmw rmw, uint64_t operand, uint64_t expected,
		    unsigned order, unsigned fail_order, unsigned flags, uintptr_t pc,
		    void (*done)(struct event *e));

/*
 * Waits until the lock at @location is free, or no thread can go on. Until then the thread has no
 * event here: a read of a lock that is held tells the program nothing.
 */
void await_lock(unsigned location, uintptr_t pc);

/*
 * When no thread can go on: lets the first of the threads that wait for a lock read that the lock
 * is held. The search learns from this read that the thread could have taken the lock earlier.
 * Returns the thread as a bit; 0: no thread waits for a lock.
 */
uint32_t waits_in_vain(void);

#endif /* NAP_CHECK_EVENTS_H */
