/* SPDX-License-Identifier: MIT */
/* The table of cells, by address: open addressing. No cell is ever removed. */
#include <stdlib.h>

#include "program/cells.h"

struct cell *cells;
static unsigned nr_cells;

uint8_t shadow_low[LOW_SIZE / 8], shadow_high[MEMORY_SIZE / 8];
uint8_t shadow_mine = OWNED_BY_NOBODY;

void cells_clear(void)
{
	if (!cells)
		cells = calloc((size_t)1 << CELL_BITS, sizeof(*cells));
	memset(cells, 0, sizeof(*cells) << CELL_BITS);
	memset(shadow_low, 0, sizeof(shadow_low));
	memset(shadow_high, 0, sizeof(shadow_high));
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
