/* SPDX-License-Identifier: MIT */
/* Accesses to allocated objects (heap.c): whether one is allowed, and reads a value. */
#include "program/fault.h"
#include "program/heap.h"
#include "program/threads.h"

/* Returns where the object was allocated: the other place of a fault. */
static uintptr_t allocated_at(const struct object *object)
{
	fault.other_key = object->begin;
	fault.other_by = object->thread;
	fault.other_clock = object->thread < MAX_THREADS ? object->clock : 0;
	return object->pc;
}

static _Noreturn void out_of_bounds(const struct object *object, uintptr_t address, size_t size,
				    uintptr_t pc)
{
	if (address < object->begin)
		fault_at(pc, allocated_at(object), "out of bounds: %zu bytes, %zu before %s", size,
			 object->begin - address, heap_name_of(object));
	fault_at(pc, allocated_at(object), "out of bounds: %zu bytes at %zu of the %zu of %s", size,
		 address - object->begin, object->size, heap_name_of(object));
}

/* Whether the running thread knows of the allocation. */
static bool is_known(const struct object *object)
{
	return object->thread == self || object->thread == MAX_THREADS || self == MAX_THREADS ||
	       vector_get(clock_now(), object->thread) >= object->clock;
}

void heap_check(uintptr_t address, size_t size, uintptr_t pc)
{
	const struct object *object = heap_object_near(address);

	if (!object)
		fault_at(pc, 0, "out of bounds: %zu bytes where nothing is allocated: %#lx", size,
			 address);
	if (address < object->begin || address + size > object->begin + object->size)
		out_of_bounds(object, address, size, pc);
	if (object->freed)
		fault_at(pc, allocated_at(object), "use of freed memory: %s", heap_name_of(object));
	if (!is_known(object))
		fault_at(pc, allocated_at(object),
			 "use of memory whose allocation by %s does not happen before: %s",
			 thread_name(object->thread), heap_name_of(object));
}

void heap_check_written(uintptr_t address, size_t size, uintptr_t pc)
{
	for (uintptr_t at = address; at < address + size; at++)
		if (heap_is_written(at))
			return;
	if (!heap_has_value(address, size))
		heap_unwritten(address, size, pc);
}

bool heap_has_value(uintptr_t address, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (*(const uint8_t *)(address + i) != UNWRITTEN)
			return true;
	return heap_object_near(address)->has_value;
}

_Noreturn void heap_unwritten(uintptr_t address, size_t size, uintptr_t pc)
{
	const struct object *object = heap_object_near(address);

	fault_at(pc, allocated_at(object),
		 "reads what was never written: %zu bytes at %zu of the %zu of %s", size,
		 address - object->begin, object->size, heap_name_of(object));
}

void heap_written(uintptr_t address, size_t size)
{
	for (uintptr_t end = address + size; address < end; address++) {
		uint8_t *bits = &heap_bits[(address - MEMORY_BASE) / 8];

		if (address % 8 || end - address < 8) {
			*bits |= (uint8_t)(1 << address % 8);
		} else {
			*bits = 0xff;
			address += 7;
		}
	}
}

bool heap_cell_is_plain(uintptr_t address)
{
	return heap_bits[(address - MEMORY_BASE) / 8] == 0xff;
}
