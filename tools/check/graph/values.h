/* SPDX-License-Identifier: MIT */
/* The values that read-modify-writes write: those of the program, and the kernel's on a futex. */
#ifndef NAP_CHECK_VALUES_H
#define NAP_CHECK_VALUES_H

#include <stdint.h>

#include "graph/graph.h"

static inline uint64_t cut_to(uint64_t value, unsigned size)
{
	return size && size < 8 ? value & (((uint64_t)1 << 8 * size) - 1) : value;
}

/* Whether a lock's word is a thread's number + 1: that thread holds the lock (locks.c). */
static inline bool lock_is_held(uint64_t word)
{
	return word - 1 < MAX_THREADS;
}

/*
 * Returns the value that @rmw writes after it has read @old. @size is the access's, in bytes; 0
 * for the queue of a futex.
 */
uint64_t rmw_value(enum rmw rmw, uint64_t old, uint64_t operand, unsigned size);

/*
 * The waiters of a futex word are one value: a byte for each, the first to come in the lowest.
 * RMW_WAIT and RMW_QUEUE put an entry at the end (of a full queue: nowhere), RMW_CANCEL takes the
 * entry out, RMW_WAKE takes a number of entries from the front, RMW_SIGNAL takes one out, wherever
 * it is.
 */
#define MAX_WAITERS 8
unsigned futex_wakes(uint64_t queue, uint64_t n);	/* how many a wake of @n wakes */
/* Returns the entry number @n, from 0 on; 0: there is none. */
uint64_t futex_entry(uint64_t queue, uint64_t n);
uint64_t futex_without(uint64_t queue, uint64_t entry);

#endif /* NAP_CHECK_VALUES_H */
