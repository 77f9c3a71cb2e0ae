/* SPDX-License-Identifier: MIT */
/*
 * What the program does at which address.
 *
 * A cell stands for 8 bytes. It knows which of them are atomic locations, and holds what threads
 * did there in this execution, as far as a later access could still race with it: two accesses
 * race when one of them writes, one is plain, and neither happens before the other.
 *
 * That an address is atomic is learnt from the first atomic access. Plain writes to it are events,
 * too; if there were any before it was known, everything begins anew, with that knowledge.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define CELL_BITS	16
#define CELL_RECORDS	20

#define R_WRITE		1
#define R_ATOMIC	2
#define R_FREE		4	/* a write, as it were */

struct record {
	uintptr_t pc;
	uint16_t clock;		/* covered by vectors that count so many of the thread's events */
	uint8_t thread, mask, kind;
};

#define SHARED 255

struct cell {
	uintptr_t key;		/* address / 8 */
	uint32_t run;		/* the execution that the records are of */
	uint16_t location[8];	/* + 1; by byte */
	uint8_t owner;		/* OWNED_BY(thread), in every execution so far; or SHARED */
	bool written;		/* plainly, by a thread, in some execution */
	bool atomic;		/* has locations */
	bool plain;		/* was accessed plainly, by a thread, in some execution */
	uint8_t nr;
	struct record record[CELL_RECORDS];
};

static struct cell *cells;
static unsigned nr_cells;
static uint32_t run;

uint8_t shadow_low[LOW_SIZE / 8], shadow_high[MEMORY_SIZE / 8];
uint8_t shadow_mine = OWNED_BY_NOBODY;

/* What memory holds of a location: which of its writes. */
static struct { uint32_t run; uint16_t event; bool fresh; } in_memory[MAX_LOCATIONS];

void locations_clear(void)
{
	if (!cells)
		cells = calloc((size_t)1 << CELL_BITS, sizeof(*cells));
	memset(cells, 0, sizeof(*cells) << CELL_BITS);
	memset(in_memory, 0, sizeof(in_memory));
	memset(shadow_low, 0, sizeof(shadow_low));
	memset(shadow_high, 0, sizeof(shadow_high));
	nr_locations = nr_cells = 0;
	run = 0;
}

static uint64_t value_at(uintptr_t address, unsigned size)
{
	uint64_t value = 0;

	memcpy(&value, (void *)address, size);
	return value;
}

void locations_begin(void)
{
	run++;
	for (unsigned i = 0; i < nr_locations; i++)
		if (in_memory[i].fresh) {
			in_memory[i].fresh = false;
			locations[i].initial = memory_is_stack(locations[i].address) ? 0 :
				value_at(locations[i].address, locations[i].size);
		}
}

static struct cell *new_cell(uintptr_t key, size_t i)
{
	while (cells[i].key && cells[i].key != key)
		i = (i + 1) & (((size_t)1 << CELL_BITS) - 1);
	if (!cells[i].key && ++nr_cells > 3u << (CELL_BITS - 2))
		fatal("too much memory is used");
	cells[i].key = key;
	return &cells[i];
}

static inline struct cell *cell_at(uintptr_t key)
{
	size_t i = key * 0x9e3779b97f4a7c15ul >> (64 - CELL_BITS);

	return __builtin_expect(cells[i].key == key, 1) ? &cells[i] : new_cell(key, i);
}

static uint8_t mask_of(unsigned offset, unsigned size)
{
	return (uint8_t)(((1u << size) - 1) << offset);
}

static void forget_shadow(uintptr_t address)
{
	uint8_t *byte = shadow_of(address);

	if (byte)
		*byte = 0;
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
	locations[location].cell = cell;
	cell->atomic = true;
	forget_shadow(address);
	in_memory[location].fresh = true;
	if (cell->written)
		must_restart();
	in_memory[location].fresh = false;
	locations[location].initial = memory_is_stack(address) ? 0 : value_at(address, size);
	return location;
}

void must_restart(void)
{
	restart = true;
	abandon();
}

static inline void check_freed(uintptr_t address, uintptr_t pc)
{
	const char *freed = memory_has_freed ? memory_freed(address) : NULL;

	if (freed)
		fault_at(pc, 0, "use of freed memory: %s", freed);
}

unsigned location_of(const void *p, unsigned size, uintptr_t pc)
{
	uintptr_t address = (uintptr_t)p;
	struct cell *cell;
	unsigned location;

	check_freed(address, pc);
	cell = cell_at(address / 8);
	location = cell->location[address % 8];
	if (!location)
		return learn_location(cell, address, size);
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

void memory_write(const struct event *e)
{
	struct location *location = &locations[e->location];
	unsigned last = in_memory[e->location].run == run ? in_memory[e->location].event : 0;

	if (last && graph->event[last].pos > e->pos)
		return;
	in_memory[e->location].run = run;
	in_memory[e->location].event = (uint16_t)number_of(graph, e);
	if (!(e->order & O_PLAIN))
		memcpy((void *)location->address, &e->value, location->size);
}

/* ---- races */

/*
 * What only one thread has ever touched needs no records. When another one comes, and the first has
 * been there in this execution, everything begins anew with that knowledge.
 */
static inline bool is_private(struct cell *cell)
{
	if (cell->owner == OWNED_BY(self))
		return true;
	if (cell->owner == SHARED)
		return false;
	if (cell->owner) {
		cell->owner = SHARED;
		forget_shadow(cell->key * 8);
		must_restart();
	}
	cell->owner = (uint8_t)OWNED_BY(self);
	return true;
}

static const vector *now(void)
{
	const struct event *last = threads[self].last;

	return last ? &last->clock : &graph->event[graph->creator[self]].clock;
}

static const char *kind_name(unsigned kind)
{
	static const char *const names[] = { "read", "write", "atomic read", "atomic write" };

	return kind & R_FREE ? "free" : names[kind & 3];
}

static void race(const struct record *old, const struct record *new, uintptr_t address)
{
	char what[96];

	describe_address(address, what, sizeof(what));
	fault_at(new->pc, old->pc, "%s: %s by %s and %s by %s of %s",
		 (old->kind | new->kind) & R_FREE ? "use of freed memory" : "data race", kind_name(old->kind), thread_name(old->thread), kind_name(new->kind),
		 thread_name(new->thread), what);
}

static bool conflict(const struct record *a, const struct record *b)
{
	return (a->mask & b->mask) && ((a->kind | b->kind) & R_WRITE) &&
	       !(a->kind & b->kind & R_ATOMIC);
}

/* Whether whatever races with @old, from now on, races with @new, too. */
static bool replaces(const struct record *new, const struct record *old)
{
	return !(old->mask & ~new->mask) && !(old->kind & R_FREE) &&
	       (new->kind & R_WRITE) >= (old->kind & R_WRITE) &&
	       (new->kind & R_ATOMIC) <= (old->kind & R_ATOMIC);
}

static void note_access(struct cell *cell, struct record new, const vector *clock)
{
	unsigned kept = 0;

	if (cell->run != run) {
		cell->run = run;
		cell->nr = 0;
	}
	if (cell->nr == 1 && cell->record[0].thread == new.thread &&
	    replaces(&new, &cell->record[0])) {
		cell->record[0] = new;
		return;
	}
	for (unsigned i = 0; i < cell->nr; i++) {
		struct record *old = &cell->record[i];
		bool ordered = old->thread == new.thread ||
			       old->clock <= vector_get(clock, old->thread);

		if (!ordered && conflict(old, &new))
			race(old, &new, cell->key * 8 +
			     (unsigned)__builtin_ctz(old->mask & new.mask));
		if (!ordered || !replaces(&new, old))
			cell->record[kept++] = *old;
	}
	if (kept == CELL_RECORDS)
		give_up("too many unordered accesses of one address");
	cell->record[kept++] = new;
	cell->nr = (uint8_t)kept;
}

void race_atomic(const struct event *e, bool write)
{
	const struct location *location = &locations[e->location];
	struct cell *cell = location->cell;
	struct record new;

	/* Atomic accesses race with plain ones only. */
	if (is_private(cell) || !cell->plain)
		return;
	new = (struct record){
		.pc = e->pc, .clock = e->index, .thread = e->thread,
		.mask = mask_of(location->address % 8, location->size),
		.kind = R_ATOMIC | (write ? R_WRITE : 0),
	};
	note_access(cell, new, &e->clock);
}

/* ---- plain accesses */

/* A plain write to an atomic location is an event; its value is known when it has been done. */
static void plain_event(unsigned location, uintptr_t pc)
{
	struct event *e = recorded();

	if (!e)
		e = add_write(location, 0, O_PLAIN, 0, pc);
	else if (e->kind != E_WRITE || e->location != location)
		fatal("the program does not repeat itself: another plain write than before");
	memory_write(e);
	executed(e);
	threads[self].unsettled++;
}

void settle_writes(void)
{
	struct thread *t = &threads[self];

	for (; t->unsettled; t->unsettled--) {
		struct event *e = &graph->event[graph->event_of[self][t->done - t->unsettled]];

		e->value = value_at(locations[e->location].address, locations[e->location].size);
	}
}

/* Atomic accesses of the cell were not noted before this was known. */
static void is_plain(struct cell *cell)
{
	if (cell->plain)
		return;
	cell->plain = true;
	if (cell->atomic)
		must_restart();
}

static void remember_private(uintptr_t address, bool written)
{
	uint8_t *byte = shadow_of(address);

	if (byte)
		*byte = (uint8_t)(OWNED_BY(self) | (written ? SHADOW_WRITTEN : 0));
}

static void plain_cell(uintptr_t address, unsigned size, bool write, uintptr_t pc)
{
	struct cell *cell = cell_at(address / 8);
	struct record new = {
		.pc = pc, .clock = (uint16_t)(threads[self].done + 1), .thread = (uint8_t)self,
		.mask = mask_of(address % 8, size), .kind = write ? R_WRITE : 0,
	};

	if (is_private(cell)) {
		cell->plain = true;
		remember_private(address, write && !cell->atomic);
	} else {
		is_plain(cell);
		note_access(cell, new, now());
	}
	if (!write)
		return;
	cell->written = true;
	for (unsigned i = address % 8; i < address % 8 + size; i++)
		if (cell->location[i] && (i == 0 || cell->location[i] != cell->location[i - 1]))
			plain_event(cell->location[i] - 1u, pc);
}

static void plain_cells(uintptr_t address, uintptr_t end, bool write, uintptr_t pc)
{
	while (address < end) {
		unsigned part = 8 - (unsigned)(address % 8);

		if (part > end - address)
			part = (unsigned)(end - address);
		plain_cell(address, part, write, pc);
		address += part;
	}
}

void plain_access_slowly(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
	if (self == MAX_THREADS)
		return;
	saw_access = true;
	settle();
	check_freed(address, pc);
	plain_cells(address, address + size, write, pc);
}

/* As a write to all of it, except that nothing is written. */
void plain_free(uintptr_t begin, size_t size, uintptr_t pc)
{
	if (self == MAX_THREADS)
		return;
	settle();
	for (uintptr_t address = begin; address < begin + size; address += 8) {
		struct record new = {
			.pc = pc, .clock = (uint16_t)(threads[self].done + 1),
			.thread = (uint8_t)self, .mask = 0xff, .kind = R_WRITE | R_FREE,
		};

		struct cell *cell = cell_at(address / 8);

		forget_shadow(address);
		if (!is_private(cell)) {
			is_plain(cell);
			note_access(cell, new, now());
		}
	}
}
