/* SPDX-License-Identifier: MIT */
/*
 * That an address is atomic is learnt from the first atomic access. Plain writes to it are events,
 * too; if there were any before it was known, everything begins anew, with that knowledge.
 */
#include "program/bounds.h"
#include "program/heap.h"
#include "program/locations.h"
#include "program/tls.h"

struct location locations[MAX_LOCATIONS];
struct cell *cell_of[MAX_LOCATIONS];
static unsigned nr_locations;

/* What memory holds of a location: which of its writes. */
static struct {
	uint32_t execution;
	uint16_t event;
	bool fresh;
	bool had_value;		/* before the first of them, in the heap */
} in_memory[MAX_LOCATIONS];

/*
 * That the thread may access the location holds for the rest of the execution, once it has been found,
 * unless its object is freed; for all threads and executions, if no thread has allocated it.
 */
static struct access_to {
	uint32_t execution, known_by;
	bool lasts;
	const struct object *object;	/* NULL: not of the heap */
} access_to[MAX_LOCATIONS];

void locations_clear(void)
{
	cells_clear();
	memset(in_memory, 0, sizeof(in_memory));
	memset(access_to, 0, sizeof(access_to));
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

static unsigned learn_location(struct cell *cell, uintptr_t address, unsigned size)
{
	unsigned offset = address % 8, location;

	if (offset + size > 8)
		give_up("an atomic access that is not aligned");
	for (unsigned i = offset; i < offset + size; i++)
		if (cell->location[i])
			give_up("atomic accesses of different sizes at one address");
	location = new_location(address, size);
	for (unsigned i = offset; i < offset + size; i++)
		cell->location[i] = (uint16_t)(location + 1);
	cell_of[location] = cell;
	cell->atomic = true;
	shadow_forget(address);
	in_memory[location].fresh = true;
	if (cell->written)
		must_restart();
	in_memory[location].fresh = false;
	locations[location].initial = memory_is_stack(address) ? 0 : value_at(address, size);
	return location;
}

static void check_access(unsigned location, uintptr_t address, unsigned size, uintptr_t pc)
{
	struct access_to *access = &access_to[location];
	bool freed = access->object && access->object->freed;

	if (access->execution != execution) {
		access->execution = execution;
		access->known_by = 0;
	}
	if (!freed && (access->lasts || (access->known_by >> self & 1)))
		return;
	check_bounds(address, size, pc);
	if (memory_is_stack(address))
		return;		/* its frames come and go */
	access->known_by |= 1u << self;
	access->object = heap_object(address);
	access->lasts = heap_is_lasting(address);
}

unsigned location_of(const void *p, unsigned size, uintptr_t pc)
{
	uintptr_t address = (uintptr_t)p;
	struct cell *cell;
	unsigned location;

	if (is_tls(address))
		give_up("a thread-local variable that is atomic");
	cell = cell_at(address / 8);
	location = cell->location[address % 8];
	if (!location) {
		check_bounds(address, size, pc);
		return learn_location(cell, address, size);
	}
	check_access(location - 1, address, size, pc);
	if (locations[location - 1].size != size || locations[location - 1].address != address)
		give_up("atomic accesses of different sizes at one address");
	return location - 1;
}

/* The checker's own locations: few, so they are searched. */
unsigned location_hidden(unsigned kind, uint64_t key)
{
	uintptr_t address = (uintptr_t)(key << 2 | kind);

	for (unsigned i = 0; i < nr_locations; i++)
		if (!locations[i].size && locations[i].address == address)
			return i;
	return new_location(address, 0);
}

void check_initial(const struct event *e)
{
	const struct location *location = &locations[e->location];
	bool has = in_memory[e->location].execution == execution ? in_memory[e->location].had_value :
		   heap_has_value(location->address, location->size);

	if (!has)
		heap_unwritten(location->address, location->size, e->pc);
}

void memory_write(const struct event *e)
{
	struct location *location = &locations[e->location];
	unsigned last = 0;

	if (in_memory[e->location].execution == execution)
		last = in_memory[e->location].event;
	if (last && graph->event[last].pos > e->pos)
		return;
	if (in_memory[e->location].execution != execution)
		in_memory[e->location].had_value = !memory_in_arena(location->address) ||
			heap_has_value(location->address, location->size);
	in_memory[e->location].execution = execution;
	in_memory[e->location].event = (uint16_t)number_of(graph, e);
	if (!(e->order & O_PLAIN))
		memcpy((void *)location->address, &e->value, location->size);
}
