/* SPDX-License-Identifier: MIT */
/* Memory that is used again with atomic accesses of another size: program/overlays.h. */
#include "program/locations.h"
#include "program/overlays.h"

/* The next location of the same cell, + 1. */
static uint16_t next_of[MAX_LOCATIONS];
/* The last execution with an access of the location; 0: a plain write has come since. */
static uint32_t used_in[MAX_LOCATIONS];

static uint8_t bytes_of(unsigned location)
{
	return mask_of(locations[location].address % 8, locations[location].size);
}

static void put(struct cell *cell, unsigned location)
{
	next_of[location] = cell->overlaid;
	used_in[location] = 0;
	cell->overlaid = (uint16_t)(location + 1);
}

void overlay_add(struct cell *cell, unsigned location)
{
	if (!cell->overlaid)
		for (unsigned i = 0; i < 8; i++)
			if (cell->location[i] && cell->location[i] != location + 1 &&
			    (!i || cell->location[i] != cell->location[i - 1]))
				put(cell, cell->location[i] - 1u);
	put(cell, location);
}

unsigned overlay_find(const struct cell *cell, uintptr_t address, unsigned size)
{
	unsigned l = cell->overlaid;

	while (l && (locations[l - 1].address != address || locations[l - 1].size != size))
		l = next_of[l - 1];
	return l;
}

unsigned overlay_use(const struct cell *cell, unsigned location)
{
	for (unsigned l = cell->overlaid; l; l = next_of[l - 1])
		if (l - 1 != location && used_in[l - 1] == execution &&
		    (bytes_of(l - 1) & bytes_of(location)))
			return l;
	used_in[location] = execution;
	return 0;
}

unsigned overlay_written(const struct cell *cell, unsigned after, uint8_t mask)
{
	unsigned l = after ? next_of[after - 1] : cell->overlaid;

	while (l && !(bytes_of(l - 1) & mask))
		l = next_of[l - 1];
	if (l)
		used_in[l - 1] = 0;
	return l;
}
