/* SPDX-License-Identifier: MIT */
/*
 * What the program allocates. Addresses only grow, in an arena for each thread and one for setup
 * and finally. So an address means the same object in every execution, whatever other threads do,
 * and freed memory stays recognisable.
 */
#ifndef NAP_CHECK_HEAP_H
#define NAP_CHECK_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/memory.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

void heap_make(void);
void heap_keep(void);		/* common to all scenarios: static objects have allocated it */
void heap_forget_setup(void);
void heap_snapshot(void);	/* after setup */
void heap_reset(void);

/* @written: it has a value, as from calloc(); else a read before any write is a fault. */
void *heap_alloc(size_t size, bool written, uintptr_t pc);
void heap_free(void *mem, uintptr_t pc);
size_t heap_size(const void *mem, uintptr_t pc);

/* A fault unless the running thread may use [@address, @address + @size) of the arenas. */
void heap_check(uintptr_t address, size_t size, uintptr_t pc);

/*
 * A fault if no byte of it was written in this execution: a range that is partly written has
 * padding.
 */
void heap_check_written(uintptr_t address, size_t size, uintptr_t pc);

_Noreturn void heap_unwritten(uintptr_t address, size_t size, uintptr_t pc);

/* Whether somebody has written it, a library, too, or it had a value from the beginning. */
bool heap_has_value(uintptr_t address, size_t size);

/* A bit for each of its bytes: the same. */
extern uint8_t heap_bits[(MAX_THREADS + 1) * ARENA_SIZE / 8];
static inline bool heap_is_written(uintptr_t address)
{
	return heap_bits[(address - MEMORY_BASE) / 8] >> address % 8 & 1;
}
void heap_written(uintptr_t address, size_t size);

/* Whether all 8 bytes of the cell at @address are in one object, and were written. */
bool heap_cell_is_plain(uintptr_t address);

/* ---- objects, for heap_access.c and leaks.c */

/* The bytes before anybody, a library, too, has written them. */
#define UNWRITTEN	0xbe

struct object {
	uintptr_t begin, pc;
	size_t size;
	uint16_t clock;		/* covered by vectors that count at least this event of the thread */
	uint8_t thread;		/* the thread that has allocated it; MAX_THREADS: setup or finally */
	bool freed;
	bool has_value;		/* it has a value from the beginning */
	bool reached;		/* leaks.c */
};

void heap_objects(void (*visit)(const struct object *object));

/* The object that @address is in, or close to; NULL: there is none. */
struct object *heap_object_near(uintptr_t address);
const char *heap_name_of(const struct object *object);

/* The object that @address is in, or right after; NULL: there is none. */
struct object *heap_object(uintptr_t address);

/*
 * Whether each thread that may access @address now may do so in every execution until it is freed:
 * no thread has allocated it.
 */
bool heap_is_lasting(uintptr_t address);

#pragma GCC visibility pop

#endif /* NAP_CHECK_HEAP_H */
