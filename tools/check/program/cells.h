/* SPDX-License-Identifier: MIT */
/*
 * Cells. A cell is what the checker knows of 8 bytes of the program's memory: which of the bytes
 * are atomic locations, and what threads did there in this execution (races.c).
 */
#ifndef NAP_CHECK_CELLS_H
#define NAP_CHECK_CELLS_H

#include <string.h>

#include "program/fault.h"
#include "program/shadow.h"
#include "program/threads.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

#define CELL_BITS	16
#define CELL_RECORDS	20

#define R_WRITE		1
#define R_ATOMIC	2
#define R_FREE		4	/* the free of an object, which counts as a write */

/* An access that a later access could race with. */
struct record {
	uintptr_t pc;
	/* covered by vectors that count at least this event of the thread */
	uint16_t clock;
	uint8_t thread, mask, kind;
};

#define SHARED 255		/* as an owner: more than one thread */

struct cell {
	uintptr_t key;		/* address / 8 */
	uint32_t execution;		/* the execution of the records */
	uint16_t location[8];	/* the number of the location + 1, for each byte */
	uint16_t overlaid;	/* overlays.h: the first location + 1, if some share bytes; or 0 */
	uint8_t owner;		/* OWNED_BY(thread), in all executions so far; or SHARED */
	bool written;		/* a thread wrote it plainly, in some execution */
	bool atomic;		/* has atomic locations */
	bool plain;		/* a thread accessed it plainly, in some execution */
	uint32_t fine_in;	/* in this execution @fine_for may access the bytes @fine */
	uint8_t fine_for, fine;
	uint8_t lasting;		/* bytes that each thread may access, in every execution */
	uint8_t nr;
	struct record record[CELL_RECORDS];
};

extern struct cell *cells;

void cells_clear(void);
struct cell *new_cell(uintptr_t key, size_t i);

/*
 * Returns the first address of [@begin, @end), a part of the heap, whose cell is in the table; if
 * there is none, an address not below @end. Nothing was accessed where no cell is in the table.
 */
uintptr_t heap_cell_from(uintptr_t begin, uintptr_t end);

static inline struct cell *cell_at(uintptr_t key)
{
	size_t i = key * 0x9e3779b97f4a7c15ul >> (64 - CELL_BITS);

	return __builtin_expect(cells[i].key == key, 1) ? &cells[i] : new_cell(key, i);
}

static inline uint64_t value_at(uintptr_t address, unsigned size)
{
	uint64_t value = 0;

	memcpy(&value, (void *)address, size);
	return value;
}

/*
 * Whether only one thread has ever touched the cell, so that it needs no records. When another
 * thread comes, the cell is shared from then on, and the search begins anew with this knowledge.
 */
static inline bool is_private(struct cell *cell)
{
	if (cell->owner == OWNED_BY(self))
		return true;
	if (cell->owner == SHARED)
		return false;
	if (cell->owner) {
		cell->owner = SHARED;
		shadow_forget(cell->key * 8);
		must_restart();
	}
	cell->owner = (uint8_t)OWNED_BY(self);
	return true;
}

/* Whether these bytes were checked in this execution, and not freed since. */
static inline bool is_fine(const struct cell *cell, uint8_t mask)
{
	if (!(mask & ~cell->lasting))
		return true;
	return cell->fine_in == execution && cell->fine_for == self && !(mask & ~cell->fine);
}

static inline void now_fine(struct cell *cell, uint8_t mask, bool lasts)
{
	if (lasts)
		cell->lasting |= mask;
	if (cell->fine_in != execution || cell->fine_for != self)
		cell->fine = 0;
	cell->fine_in = execution;
	cell->fine_for = (uint8_t)self;
	cell->fine |= mask;
}

static inline uint8_t mask_of(unsigned offset, unsigned size)
{
	return (uint8_t)(((1u << size) - 1) << offset);
}

/*
 * races.c: records the access @new of the running thread, whose clock is @clock. Reports a fault
 * if @new races with another access.
 */
void note_access(struct cell *cell, struct record new, const vector *clock);

/* Records the event @e, an atomic access, which could race with plain accesses. */
void race_atomic(const struct event *e, bool write);

#pragma GCC visibility pop

#endif /* NAP_CHECK_CELLS_H */
