/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/fault.h"
#include "program/freed.h"
#include "program/heap.h"
#include "program/locations.h"
#include "program/locks.h"
#include "program/names.h"
#include "program/ops.h"

#define ALIGN		64u
#define GAP		16u	/* least distance of two objects; out of bounds of both */
#define GRANULES	(ARENA_SIZE / ALIGN)

static struct arena {
	uintptr_t begin, next;
	uintptr_t kept, high;		/* the end after setup; the highest end ever */
	unsigned nr, kept_nr;		/* objects */
	void *snapshot;
	uintptr_t first;		/* the end before any setup */
	unsigned first_nr;
	void *first_snapshot;
	struct object object[GRANULES];
	uint16_t object_of[GRANULES];	/* of a gap: the object before it */
} arenas[MAX_THREADS + 1];

static unsigned kept_freed;

uint8_t heap_bits[HEAP_SIZE / 8];

void heap_make(void)
{
	for (unsigned i = 0; i <= MAX_THREADS; i++)
		arenas[i].begin = arenas[i].next = arenas[i].kept = arenas[i].high =
			arenas[i].first = MEMORY_BASE + i * ARENA_SIZE;
}

/* ---- between executions */

static void *arena_copy(const struct arena *arena, uintptr_t end, void *old)
{
	size_t used = end - arena->begin;

	return memcpy(realloc(old, used + 1), (void *)arena->begin, used);
}

static unsigned first_freed;

void heap_keep(void)
{
	struct arena *arena = &arenas[MAX_THREADS];

	arena->first = arena->next;
	arena->first_nr = arena->nr;
	arena->first_snapshot = arena_copy(arena, arena->next, NULL);
	first_freed = nr_freed;
}

void heap_forget_setup(void)
{
	struct arena *arena = &arenas[MAX_THREADS];
	size_t used = arena->first - arena->begin;

	kept_freed = first_freed;
	for (unsigned i = 0; i <= MAX_THREADS; i++) {
		arenas[i].kept = arenas[i].first;
		arenas[i].kept_nr = arenas[i].first_nr;
	}
	arena->snapshot = memcpy(realloc(arena->snapshot, used + 1), arena->first_snapshot, used);
}

void heap_snapshot(void)
{
	struct arena *arena = &arenas[MAX_THREADS];

	arena->kept = arena->next;
	arena->kept_nr = arena->nr;
	arena->snapshot = arena_copy(arena, arena->next, arena->snapshot);
	kept_freed = nr_freed;
}

static void reset_arena(struct arena *arena)
{
	/* objects begin at a granule, so the bytes to clear share none with what is kept */
	uintptr_t from = (arena->kept + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);

	if (arena->high > arena->kept)
		memset((void *)arena->kept, 0, arena->high - arena->kept);
	if (arena->high > from) {
		memset(&heap_bits[(from - MEMORY_BASE) / 8], 0, (arena->high - from + 7) / 8);
		shadow_forget_all(from, arena->high);
	}
	if (arena->kept > arena->begin)
		memcpy((void *)arena->begin, arena->snapshot, arena->kept - arena->begin);
	arena->high = arena->next = arena->kept;
	arena->nr = arena->kept_nr;
}

void heap_reset(void)
{
	freed_undo(kept_freed);
	for (unsigned i = 0; i <= MAX_THREADS; i++)
		reset_arena(&arenas[i]);
}

/* ---- objects */

static struct arena *arena_of(uintptr_t address)
{
	return &arenas[(address - MEMORY_BASE) / ARENA_SIZE];
}

static unsigned granule_of(const struct arena *arena, uintptr_t address)
{
	return (unsigned)((address - arena->begin) / ALIGN);
}

/* Returns the object that @address is in or close to; NULL if there is none. */
struct object *heap_object_near(uintptr_t address)
{
	struct arena *arena = arena_of(address);

	if (address >= arena->next + GAP || !arena->nr)
		return NULL;
	return &arena->object[arena->object_of[granule_of(arena, address)]];
}

static struct object *object_at_begin(const void *mem)
{
	uintptr_t begin = (uintptr_t)mem;
	struct object *object = memory_in_arena(begin) ? heap_object_near(begin) : NULL;

	return object && object->begin == begin ? object : NULL;
}

/* Enters the object. The gap behind the object belongs to it until the next allocation. */
static void know(struct arena *arena, struct object *object)
{
	unsigned first = granule_of(arena, object->begin);
	unsigned last = granule_of(arena, object->begin + object->size + GAP);

	for (unsigned i = first; i <= last && i < GRANULES; i++)
		arena->object_of[i] = (uint16_t)(object - arena->object);
}

/* Allocates an object after the last object of the running thread. */
static struct object *new_object(size_t size)
{
	struct arena *arena = &arenas[self];
	uintptr_t mem = (arena->next + GAP + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
	struct object *object = &arena->object[arena->nr];

	if (size > ARENA_SIZE || mem + size > arena->begin + ARENA_SIZE)
		give_up("the bound on memory");
	*object = (struct object){ .begin = mem, .size = size };
	arena->nr++;
	know(arena, object);
	arena->next = mem + size;
	if (arena->high < arena->next)
		arena->high = arena->next;
	return object;
}

/* Drops the values of the object's earlier life. */
static void begin_again(struct object *object)
{
	memset(&heap_bits[(object->begin - MEMORY_BASE) / 8], 0, (object->size + 7) / 8);
	shadow_forget_all(object->begin, object->begin + object->size);
	object->freed = false;
}

void *heap_alloc(size_t size, bool as_written, uintptr_t pc)
{
	struct object *object = as_written ? NULL : freed_again(size, pc);
	void *mem;

	if (object)
		begin_again(object);
	else
		object = new_object(size);
	mem = (void *)object->begin;
	object->pc = pc;
	if (__builtin_expect(callers_wanted, 0))
		callers_watch(pc, object->begin);
	object->thread = (uint8_t)self;
	object->clock = (uint16_t)(self == MAX_THREADS ? 0 : threads[self].done + 1);
	object->has_value = as_written || self == MAX_THREADS;
	if (object->has_value)
		heap_written(object->begin, size);
	else
		memset(mem, UNWRITTEN, size);
	return mem;
}

const char *heap_name_of(const struct object *object)
{
	static char name[128];

	describe_address(object->begin, name, sizeof(name));
	return name;
}

void heap_free(void *mem, uintptr_t pc)
{
	struct object *object = object_at_begin(mem);

	if (!mem)
		return;
	if (!object)
		fault_at(pc, 0, "free of what was not allocated: %p", mem);
	if (object->freed) {
		fault.other_key = object->begin;
		fault.other_clock = 0;
		fault_at(pc, object->pc, "freed twice: %s", heap_name_of(object));
	}
	plain_free(object->begin, object->size, pc);
	objects_gone(object->begin, object->begin + object->size);
	freed_note(object);
}

size_t heap_size(const void *mem, uintptr_t pc)
{
	const struct object *object = object_at_begin(mem);

	if (!object)
		fault_at(pc, 0, "realloc of what was not allocated: %p", mem);
	return object->size;
}

void heap_objects(void (*visit)(const struct object *object))
{
	for (unsigned i = 0; i <= MAX_THREADS; i++)
		for (unsigned k = 0; k < arenas[i].nr; k++)
			visit(&arenas[i].object[k]);
}

struct object *heap_object(uintptr_t address)
{
	struct object *object = memory_in_arena(address) ? heap_object_near(address) : NULL;

	return object && address - object->begin <= object->size ? object : NULL;
}

bool heap_is_lasting(uintptr_t address)
{
	const struct object *object = heap_object(address);

	return !memory_in_arena(address) || (object && object->thread == MAX_THREADS);
}
