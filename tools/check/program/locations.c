/* SPDX-License-Identifier: MIT */
/*
 * Locations. The first atomic access teaches the checker that an address is atomic. Plain writes
 * to the address are events, too. If there were such writes before, the search begins anew with
 * this knowledge.
 */
#include <stdio.h>

#include "graph/values.h"
#include "program/bounds.h"
#include "program/foreign_writes.h"
#include "program/heap.h"
#include "program/locals.h"
#include "program/locations.h"
#include "program/names.h"
#include "program/overlays.h"
#include "program/tls.h"

struct location locations[MAX_LOCATIONS];
struct cell *cell_of[MAX_LOCATIONS];
static unsigned nr_locations;
static uintptr_t accessed_at[MAX_LOCATIONS];	/* where a location was looked up last */

/* The write that a location's memory holds. */
static struct {
	uint32_t execution;
	uint16_t event;
	bool fresh;
	bool had_value;		/* in the heap, before the first write */
} in_memory[MAX_LOCATIONS];

/* The last execution with an access of the location, for locations on stacks. */
static uint32_t touched_in[MAX_LOCATIONS];

struct known known[NR_KNOWN];

void locations_clear(void)
{
	cells_clear();
	memset(in_memory, 0, sizeof(in_memory));
	memset(known, 0, sizeof(known));
	nr_locations = 0;
}

void locations_begin(void)
{
	for (unsigned i = 0; i < nr_locations; i++)
		if (in_memory[i].fresh) {
			in_memory[i].fresh = false;
			locations[i].initial = memory_is_stack(locations[i].address) ? 0 :
				value_at(locations[i].address, locations[i].size);
		}
}

static unsigned new_location(uintptr_t address, unsigned size)
{
	if (nr_locations == MAX_LOCATIONS)
		give_up("the bound on atomic locations");
	locations[nr_locations] = (struct location){ .address = address, .size = (uint8_t)size };
	return nr_locations++;
}

/* Gives up: an event cannot say which bytes of another access it writes. */
static _Noreturn void sizes_differ(uintptr_t address, unsigned size, unsigned location)
{
	static char why[340];
	char one[96], other[96];

	describe_address(locations[location].address, one, sizeof(one));
	describe_address(address, other, sizeof(other));
	snprintf(why, sizeof(why),
		 "atomic accesses of different sizes at one address: "
		 "%u bytes at %s, %u bytes at %s; use one size",
		 locations[location].size, one, size, other);
	give_up_between(accessed_at[location], why);
}

/* Enters a location in its cell. Returns whether it shares bytes with others. */
static bool enter_location(struct cell *cell, unsigned location)
{
	uintptr_t address = locations[location].address;
	unsigned offset = address % 8, size = locations[location].size;
	bool shares = cell->overlaid;

	for (unsigned i = offset; i < offset + size; i++)
		if (cell->location[i])
			shares = true;
		else
			cell->location[i] = (uint16_t)(location + 1);
	if (shares) {
		overlay_add(cell, location);
		memset(known, 0, sizeof(known));
	}
	cell_of[location] = cell;
	cell->atomic = true;
	shadow_forget(address);
	in_memory[location].fresh = true;
	return shares;
}

static unsigned learn_location(struct cell *cell, uintptr_t address, unsigned size)
{
	static char why[176];
	unsigned location;
	char name[96];

	if (address % size) {
		describe_address(address, name, sizeof(name));
		snprintf(why, sizeof(why), "an atomic access that is not aligned: %u bytes at %s",
			 size, name);
		give_up(why);
	}
	location = new_location(address, size);
	if (enter_location(cell, location) || cell->written)
		must_restart();
	in_memory[location].fresh = false;
	locations[location].initial = memory_is_stack(address) ? 0 : value_at(address, size);
	return location;
}

static void note_address(uintptr_t address, unsigned size, unsigned location)
{
	struct known *k = known_at(address);

	if (k->address != address || k->size != size || k->execution != execution)
		k->known_by = 0;
	if (!memory_is_stack(address))	/* frames come and go on a stack */
		k->known_by |= (uint16_t)(1u << self);
	k->address = address;
	k->size = (uint8_t)size;
	k->location = (uint16_t)location;
	k->execution = execution;
	k->object = heap_object(address);
	k->lasts = heap_is_lasting(address) && !memory_is_stack(address);
}

/* Returns the location + 1 at this address, or 0. Without overlays the size may be another one. */
static unsigned find_location(const struct cell *cell, uintptr_t address, unsigned size)
{
	return cell->overlaid ? overlay_find(cell, address, size) : cell->location[address % 8];
}

unsigned location_looked_up(uintptr_t address, unsigned size, uintptr_t pc)
{
	struct cell *cell;
	unsigned location, other;

	if (is_tls(address))
		give_up("a thread-local variable as a futex");
	cell = cell_at(address / 8);
	location = find_location(cell, address, size);
	check_bounds(address, size, pc);
	if (!location || locations[location - 1].size != size ||
	    locations[location - 1].address != address)
		location = learn_location(cell, address, size) + 1;
	if (!cell->overlaid)
		note_address(address, size, location - 1);
	other = cell->overlaid ? overlay_use(cell, location - 1) : 0;
	if (other && !is_private(cell))
		sizes_differ(address, size, other - 1);
	accessed_at[location - 1] = pc;
	location_touched(location - 1);
	return location - 1;
}

void location_touched(unsigned location)
{
	struct location *l = &locations[location];

	if (touched_in[location] == execution || !memory_is_stack(l->address))
		return;
	touched_in[location] = execution;
	l->initial = value_at(l->address, l->size);
}

bool location_is_in_memory(unsigned location)
{
	const struct location *l = &locations[location];
	uint64_t value = in_memory[location].execution == execution ?
		graph->event[in_memory[location].event].value : l->initial;

	return value == value_at(l->address, l->size);
}

/* Returns a location of the checker's own. Such locations are few, so a linear search will do. */
unsigned location_hidden(unsigned kind, uint64_t key)
{
	uintptr_t address = (uintptr_t)(key << 3 | kind);

	for (unsigned i = 0; i < nr_locations; i++)
		if (!locations[i].size && locations[i].address == address)
			return i;
	return new_location(address, 0);
}

void check_initial(const struct event *e)
{
	const struct location *location = &locations[e->location];
	bool was_written = in_memory[e->location].execution == execution;

	if (memory_is_stack(location->address)) {
		if (!was_written)
			locals_check(location->address, location->size, e->pc);
		return;
	}
	if (!memory_in_arena(location->address))
		return;
	if (was_written ? !in_memory[e->location].had_value :
			  !heap_has_value(location->address, location->size))
		heap_unwritten(location->address, location->size, e->pc);
}

void memory_write(const struct event *e)
{
	struct location *location = &locations[e->location];
	unsigned last = 0;

	if (in_memory[e->location].execution == execution)
		last = in_memory[e->location].event;
	if (last && graph->event[last].pos > e->pos) {
		foreign_older(location->address, &e->value, location->size);
		return;
	}
	foreign_write(location->address, location->size);
	if (in_memory[e->location].execution != execution)
		in_memory[e->location].had_value = !memory_in_arena(location->address) ||
			heap_has_value(location->address, location->size);
	in_memory[e->location].execution = execution;
	in_memory[e->location].event = (uint16_t)number_of(graph, e);
	if (!(e->order & O_PLAIN)) {
		memcpy((void *)location->address, &e->value, location->size);
		locals_wrote(location->address, location->size);
	}
}

/* ---- for another process */

void locations_write(FILE *out)
{
	fprintf(out, "locations %u\n", nr_locations);
	for (unsigned i = 0; i < nr_locations; i++)
		fprintf(out, "%lx %u %u\n", locations[i].address, locations[i].size,
			locations[i].waiters);
}

unsigned location_known(uintptr_t address, unsigned size)
{
	struct cell *cell;
	unsigned location;

	if (!size)
		return location_hidden(address & 7, address >> 3);
	cell = cell_at(address / 8);
	location = find_location(cell, address, size);
	if (location && locations[location - 1].size == size &&
	    locations[location - 1].address == address)
		return location - 1;
	location = new_location(address, size);
	enter_location(cell, location);
	return location;
}

bool locations_read(FILE *in)
{
	unsigned nr, size, waiters, location;
	uintptr_t address;

	if (fscanf(in, "locations %u\n", &nr) != 1 || nr > MAX_LOCATIONS)
		return false;
	while (nr--) {
		if (fscanf(in, "%lx %u %u\n", &address, &size, &waiters) != 3 || size > 8 ||
		    waiters > MAX_WAITERS)
			return false;
		location = location_known(address, size);
		if (waiters > locations[location].waiters)
			locations[location].waiters = (uint8_t)waiters;
	}
	return true;
}
