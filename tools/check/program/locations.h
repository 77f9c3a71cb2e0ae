/* SPDX-License-Identifier: MIT */
/* Locations: which addresses are atomic, and which of a location's writes its memory holds. */
#ifndef NAP_CHECK_LOCATIONS_H
#define NAP_CHECK_LOCATIONS_H

#include "program/cells.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

extern struct location locations[MAX_LOCATIONS];
extern struct cell *cell_of[MAX_LOCATIONS];	/* NULL: a location of the checker's */

void locations_clear(void);		/* when another scenario begins */
void locations_begin(void);		/* when an execution begins */
unsigned location_of(const void *p, unsigned size, uintptr_t pc);

/* The checker's own: what is woken, and whose end, has a key. */
enum { HIDDEN_FUTEX, HIDDEN_WAKE, HIDDEN_END };
unsigned location_hidden(unsigned kind, uint64_t key);

static inline unsigned hidden_kind(unsigned location)
{
	return locations[location].address & 3;
}

static inline uint64_t hidden_key(unsigned location)
{
	return locations[location].address >> 2;
}

/* A fault if @e reads the initial value of a location of the heap, and that has none. */
void check_initial(const struct event *e);

/* Memory holds what @e has written, if no later write of its location has been there before. */
void memory_write(const struct event *e);

#pragma GCC visibility pop

#endif /* NAP_CHECK_LOCATIONS_H */
