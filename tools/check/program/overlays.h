/* SPDX-License-Identifier: MIT */
/*
 * Memory that is used again with atomic accesses of another size: frames come and go on a stack,
 * and an allocator hands out again what was given back. A plain write to the bytes begins their
 * next use. It would race with an atomic access of the use before, if both came at the same time.
 * Each size has a location of its own, and a plain write is an event of each of these. Two
 * locations that are accessed in one use are mixed sizes. No model here says anything about mixed
 * sizes, except in memory that one thread alone accesses.
 *
 * Locations that share bytes are found while the program runs, and then the search begins anew.
 */
#ifndef NAP_CHECK_OVERLAYS_H
#define NAP_CHECK_OVERLAYS_H

#include "program/cells.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* Adds @location to those of the cell, some of which it shares bytes with. */
void overlay_add(struct cell *cell, unsigned location);

/* Returns the number of the cell's location that has this address and size, + 1; 0: none has. */
unsigned overlay_find(const struct cell *cell, uintptr_t address, unsigned size);

/*
 * Notes an access of @location. Another location may share bytes with it, and may have been
 * accessed in the same use of these bytes. Returns the number of such a location + 1; 0: there is
 * none.
 */
unsigned overlay_use(const struct cell *cell, unsigned location);

/*
 * Notes that a plain write has begun another use of these bytes. Returns the number + 1 of the next
 * location in the cell's list, after @after, that has one of the bytes; 0: there is none left. With
 * @after 0 the search begins with the cell's first location.
 */
unsigned overlay_written(const struct cell *cell, unsigned after, uint8_t mask);

#pragma GCC visibility pop

#endif /* NAP_CHECK_OVERLAYS_H */
