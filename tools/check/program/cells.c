/* SPDX-License-Identifier: MIT */
/* The table of cells, by address: open addressing. No cell is ever removed. */
#include <stdlib.h>
#include <sys/mman.h>

#include "graph/fatal.h"
#include "program/cells.h"

struct cell *cells;
static unsigned nr_cells;

/* A bit for each cell of the heap: whether the table has it. */
static uint64_t heap_cells[HEAP_SIZE / 8 / 64];

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
	clear(heap_cells, sizeof(heap_cells));
	nr_cells = 0;
}

static void note_heap_cell(uintptr_t address)
{
	size_t bit = (address - MEMORY_BASE) / 8;

	heap_cells[bit / 64] |= 1ul << bit % 64;
}

uintptr_t heap_cell_from(uintptr_t begin, uintptr_t end)
{
	size_t bit = (begin - MEMORY_BASE) / 8, last = (end - MEMORY_BASE + 7) / 8;

	while (bit < last) {
		uint64_t word = heap_cells[bit / 64] >> bit % 64;

		if (word)
			return MEMORY_BASE + 8 * (bit + (unsigned)__builtin_ctzl(word));
		bit = (bit / 64 + 1) * 64;
	}
	return end;
}

struct cell *new_cell(uintptr_t key, size_t i)
{
	while (cells[i].key && cells[i].key != key)
		i = (i + 1) & (((size_t)1 << CELL_BITS) - 1);
	if (!cells[i].key && ++nr_cells > 3u << (CELL_BITS - 2))
		give_up("the bound on memory that threads use");
	cells[i].key = key;
	if (memory_in_arena(key * 8))
		note_heap_cell(key * 8);
	return &cells[i];
}
