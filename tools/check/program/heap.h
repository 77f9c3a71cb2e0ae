/* SPDX-License-Identifier: MIT */
/*
 * What the program allocates. Allocation only goes upwards, in an arena per thread and one for setup
 * and finally: so an address means the same object in every execution, whatever the others did, and
 * freed memory stays recognisable.
 */
#ifndef NAP_CHECK_HEAP_H
#define NAP_CHECK_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/memory.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

void heap_make(void);
void heap_keep(void);		/* what all scenarios have: static objects have allocated it */
void heap_forget_setup(void);
void heap_snapshot(void);	/* behind setup */
void heap_reset(void);

/* @written: as calloc() has it; else a read of what nobody has written since is a fault. */
void *heap_alloc(size_t size, bool written, uintptr_t pc);
void heap_free(void *mem, uintptr_t pc);
size_t heap_size(const void *mem, uintptr_t pc);

/* A fault unless the running thread may use [@address, @address + @size) of the arenas. */
void heap_check(uintptr_t address, size_t size, uintptr_t pc);

/* A fault if none of it was written in this execution: what is partly written has padding. */
void heap_check_written(uintptr_t address, size_t size, uintptr_t pc);

_Noreturn void heap_unwritten(uintptr_t address, size_t size, uintptr_t pc);

/* Whether it holds what somebody has written, also a library, or had a value from the beginning on. */
bool heap_has_value(uintptr_t address, size_t size);

/* A bit for each byte that was. */
extern uint8_t heap_bits[(MAX_THREADS + 1) * ARENA_SIZE / 8];
static inline bool heap_is_written(uintptr_t address)
{
	return heap_bits[(address - MEMORY_BASE) / 8] >> address % 8 & 1;
}
void heap_written(uintptr_t address, size_t size);

/* Whether all 8 bytes of the cell at @address are in one object, and were written. */
bool heap_cell_is_plain(uintptr_t address);

/* ---- objects, for heap_access.c and leaks.c */

/* What bytes hold until somebody, also a library, writes them. */
#define UNWRITTEN	0xbe

struct object {
	uintptr_t begin, pc;
	size_t size;
	uint16_t clock;		/* covered by vectors that have at least this of the thread */
	uint8_t thread;		/* that has allocated it; MAX_THREADS: setup or finally */
	bool freed;
	bool has_value;		/* from the beginning on */
	bool reached;		/* leaks.c */
};

void heap_objects(void (*visit)(const struct object *object));

/* The object that @address is in, or behind or before which it is; NULL: nothing is near. */
struct object *heap_object_near(uintptr_t address);
const char *heap_name_of(const struct object *object);

/* The object that @address is in, or right behind; NULL: none. */
struct object *heap_object(uintptr_t address);

/* Whether who may access @address now may in every execution, until it is freed: no thread's object. */
bool heap_is_lasting(uintptr_t address);

#pragma GCC visibility pop

#endif /* NAP_CHECK_HEAP_H */
