/* SPDX-License-Identifier: MIT */
/* The table of cells, by address: open addressing. No cell is ever removed. */
#include <stdlib.h>
#include <sys/mman.h>

#include "graph/fatal.h"
#include "program/cells.h"

struct cell *cells;
static unsigned nr_cells;

uint8_t shadow_low[LOW_SIZE / 8], shadow_high[MEMORY_SIZE / 8];
uint8_t shadow_mine = OWNED_BY_NOBODY;

/*
 * Makes memory zero again by giving its pages back. A program uses little of these tables. Writing
 * zeros to all of them would take longer than many a search, and fork(2) copies an entry for each
 * page that was ever written.
 */
static void clear(void *mem, size_t size)
{
	uintptr_t begin = (uintptr_t)mem, end = begin + size;
	uintptr_t first = (begin + 4095) & ~4095ul, last = end & ~4095ul;

	memset(mem, 0, first - begin);
	if (madvise((void *)first, last - first, MADV_DONTNEED))
		fatal("no way to clear a table");
	memset((void *)last, 0, end - last);
}

void cells_clear(void)
{
	if (!cells)
		cells = calloc((size_t)1 << CELL_BITS, sizeof(*cells));
	else
		clear(cells, sizeof(*cells) << CELL_BITS);
	clear(shadow_low, sizeof(shadow_low));
	clear(shadow_high, sizeof(shadow_high));
	nr_cells = 0;
}

struct cell *new_cell(uintptr_t key, size_t i)
{
	while (cells[i].key && cells[i].key != key)
		i = (i + 1) & (((size_t)1 << CELL_BITS) - 1);
	if (!cells[i].key && ++nr_cells > 3u << (CELL_BITS - 2))
		give_up("the bound on memory that threads use");
	cells[i].key = key;
	return &cells[i];
}
