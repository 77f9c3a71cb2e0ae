/* SPDX-License-Identifier: MIT */
/* Locations: which addresses are atomic, and which of a location's writes its memory holds. */
#ifndef NAP_CHECK_LOCATIONS_H
#define NAP_CHECK_LOCATIONS_H

#include <stdio.h>

#include "program/cells.h"
#include "program/freed.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

extern struct location locations[MAX_LOCATIONS];
extern struct cell *cell_of[MAX_LOCATIONS];	/* NULL: a location of the checker's */

void locations_clear(void);		/* when another scenario begins */
void locations_begin(void);		/* when an execution begins */

/*
 * locations_write() writes the known locations. locations_read() learns them before another
 * execution begins; false: @in has something else.
 */
void locations_write(FILE *out);
bool locations_read(FILE *in);
unsigned location_known(uintptr_t address, unsigned size);	/* the location, which may be new */

/*
 * Called before each access. At the first access of an execution it finds the initial value of a
 * location on a stack, because a compiler need not show the plain writes to a variable of a frame
 * (clang does not show those to a member or an element).
 */
void location_touched(unsigned location);

/* Whether the memory of @location holds what the newest write to it has written. */
bool location_is_in_memory(unsigned location);

/*
 * What is known of the last location whose address has this slot of the table: its number, and
 * the threads that may access it. After a check this holds for the rest of the execution, unless
 * the object is freed. If no thread has allocated the object, it holds for all threads and
 * executions.
 */
#define NR_KNOWN 1024
struct known {
	uintptr_t address;
	const struct object *object;	/* NULL: not on the heap */
	uint32_t execution;
	uint16_t known_by, location;
	uint8_t size;
	bool lasts;
};
extern struct known known[NR_KNOWN];

static inline struct known *known_at(uintptr_t address)
{
	return &known[(address * 0x9e3779b97f4a7c15ul) >> 54];
}

/* Returns the location of the access. Reports a fault if the access is not allowed. */
unsigned location_looked_up(uintptr_t address, unsigned size, uintptr_t pc);
static inline unsigned location_of(const void *p, unsigned size, uintptr_t pc)
{
	const struct known *k = known_at((uintptr_t)p);

	if (k->address == (uintptr_t)p && k->size == size && !nr_reused &&
	    !(k->object && nr_freed && k->object->freed) &&
	    (k->lasts || (k->execution == execution && (k->known_by >> self & 1))))
		return k->location;
	return location_looked_up((uintptr_t)p, size, pc);
}

/*
 * The checker's own locations. The key says which one: for HIDDEN_FUTEX the queue of waiters, for
 * HIDDEN_WAKE the wait, for HIDDEN_END the thread that ends, for HIDDEN_BARRIER the barrier and the
 * round, for HIDDEN_REFERENCES the object. HIDDEN_EXIT is one location, with key 0.
 */
enum { HIDDEN_FUTEX, HIDDEN_WAKE, HIDDEN_END, HIDDEN_EXIT, HIDDEN_BARRIER, HIDDEN_REFERENCES };
unsigned location_hidden(unsigned kind, uint64_t key);

/* The nth wait of a thread, as a byte that is not 0: the key of HIDDEN_WAKE. */
#define MAX_WAITS (254 / MAX_THREADS)
static inline unsigned wait_entry(unsigned thread, unsigned nth)
{
	return 1 + thread * MAX_WAITS + nth;
}

static inline unsigned waiter_of(unsigned entry)
{
	return (entry - 1) / MAX_WAITS;
}

static inline unsigned hidden_kind(unsigned location)
{
	return locations[location].address & 7;
}

static inline uint64_t hidden_key(unsigned location)
{
	return locations[location].address >> 3;
}

/* Reports a fault if @e reads the initial value of a location that has none. */
void check_initial(const struct event *e);

/* Stores what @e has written, unless memory holds a later write of its location. */
void memory_write(const struct event *e);

#pragma GCC visibility pop

#endif /* NAP_CHECK_LOCATIONS_H */
