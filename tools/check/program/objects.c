/* SPDX-License-Identifier: MIT */
/*
 * Objects of the library's types, such as locks, are initialised, used and destroyed. The first
 * word of an object says that it was destroyed. A thread that initialises the object again, also
 * by assignment, writes another value.
 */
#include <string.h>

#include "program/bounds.h"
#include "program/caller.h"
#include "program/cells.h"
#include "program/fault.h"
#include "program/heap.h"
#include "program/locks.h"
#include "program/names.h"
#include "program/ops.h"
#include "program/shadow.h"
#include "program/tls.h"

static _Noreturn void misused(const char *how, const void *object, uintptr_t pc)
{
	char name[128];

	describe_address((uintptr_t)object, name, sizeof(name));
	fault_at(pc, 0, "%s %s", how, name);
}

/*
 * The objects that threads have initialised in this execution, and not destroyed. Objects on stacks
 * are not listed, because a thread may leave their frames without destroying them.
 */
#define MAX_MADE 256
static uintptr_t made[MAX_MADE];
unsigned nr_made;

void object_is_new(const void *object, uintptr_t pc)
{
	uintptr_t address = (uintptr_t)object;

	if (OUTSIDE || memory_is_stack(address))
		return;
	for (unsigned i = 0; i < nr_made; i++)
		if (made[i] == address)
			misused("initialised twice, and not destroyed in between:", object, pc);
	if (nr_made == MAX_MADE)
		give_up("the bound on locks that are initialised");
	made[nr_made++] = address;
}

void objects_gone(uintptr_t begin, uintptr_t end)
{
	for (unsigned i = 0; i < nr_made; i++)
		if (made[i] >= begin && made[i] < end)
			made[i--] = made[--nr_made];
}

void object_make(void *object, size_t size, uint32_t first, uint32_t second, uintptr_t pc)
{
	uint32_t *words = object;

	object_is_new(object, pc);
	plain_range((uintptr_t)object, size, true, pc);
	memset(object, 0, size);
	words[0] = first;
	if (size >= 2 * sizeof(*words))
		words[1] = second;
}

void object_is_there(const void *object, uint32_t first, uintptr_t pc)
{
	if (first == DESTROYED)
		misused("use of what was destroyed:", object, pc);
}

/*
 * Notes an access by a library to its object: to the first word, whatever the library does there.
 * Such an access races with plain accesses only.
 */
static void library_access(const void *object, uintptr_t pc)
{
	uintptr_t address = (uintptr_t)object;
	struct cell *cell;
	struct record new = {
		.pc = pc, .clock = (uint16_t)(threads[self].done + 1), .thread = (uint8_t)self,
		.mask = mask_of(address % 8, 4), .kind = R_ATOMIC | R_WRITE,
	};

	if (is_tls(address))
		return;
	check_bounds(address, 4, pc);
	if (memory_in_arena(address))
		heap_check_written(address, 4, pc);
	cell = cell_at(address / 8);
	if (!is_private(cell))
		note_access(cell, new, clock_now());
}

void object_use(const void *object, uintptr_t pc)
{
	if (OUTSIDE)
		return;
	library_access(object, pc);
	object_is_there(object, *(const uint32_t *)object, pc);
}

/* Reads the first word. A thread that still uses the object races with this read. */
static uint32_t look_at_last(const void *object, uintptr_t pc)
{
	uint32_t first;

	plain_access(object, sizeof(first), false, pc);
	memcpy(&first, object, sizeof(first));
	if (first == DESTROYED)
		misused("destroyed twice:", object, pc);
	return first;
}

void object_unmake(void *object, size_t size, uintptr_t pc)
{
	look_at_last(object, pc);
	plain_range((uintptr_t)object, size, true, pc);
	objects_gone((uintptr_t)object, (uintptr_t)object + 1);
	*(uint32_t *)object = DESTROYED;
}

void lock_unmake(void *lock, size_t size, const char *what, uintptr_t pc)
{
	if (look_at_last(lock, pc) && !OUTSIDE)
		fault_at(pc, 0, "%s is destroyed that is locked", what);
	object_unmake(lock, size, pc);
}
