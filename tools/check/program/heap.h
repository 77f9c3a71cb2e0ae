/* SPDX-License-Identifier: MIT */
/*
 * The objects that the program allocates. Addresses only grow, in an arena for each thread and
 * one for setup and finally. So an address means the same object in every execution, whatever
 * other threads do, and freed memory stays recognisable.
 */
#ifndef NAP_CHECK_HEAP_H
#define NAP_CHECK_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/memory.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

void heap_make(void);
void heap_keep(void);		/* keeps what static objects have allocated, for all scenarios */
void heap_forget_setup(void);
void heap_snapshot(void);	/* called after setup */
void heap_reset(void);

/* @written: the object has a value, as from calloc(); else a read before any write is a fault. */
void *heap_alloc(size_t size, bool written, uintptr_t pc);
void heap_free(void *mem, uintptr_t pc);
size_t heap_size(const void *mem, uintptr_t pc);

/* Reports a fault unless the running thread may use [@address, @address + @size) of the arenas. */
void heap_check(uintptr_t address, size_t size, uintptr_t pc);

/*
 * Reports a fault if this execution has written no byte of the range. A range that is written in
 * part passes, because it may have padding.
 */
void heap_check_written(uintptr_t address, size_t size, uintptr_t pc);

_Noreturn void heap_unwritten(uintptr_t address, size_t size, uintptr_t pc);

/* Whether the range has a value: from the beginning, or written by the program or a library. */
bool heap_has_value(uintptr_t address, size_t size);

/* A bit for each byte of the arenas: whether the program has written it. */
extern uint8_t heap_bits[HEAP_SIZE / 8];
static inline bool heap_is_written(uintptr_t address)
{
	return heap_bits[(address - MEMORY_BASE) / 8] >> address % 8 & 1;
}
void heap_written(uintptr_t address, size_t size);

/* Whether all 8 bytes of the cell at @address are in one object, and were written. */
bool heap_cell_is_plain(uintptr_t address);

/* ---- objects, for heap_access.c and leaks.c */

/* The value of bytes that neither the program nor a library has written yet. */
#define UNWRITTEN	0xbe

struct object {
	uintptr_t begin, pc;
	size_t size;
	/* a thread knows of the object if its vector clock has this event of @thread */
	uint16_t clock;
	uint8_t thread;		/* the thread that allocated it; MAX_THREADS: setup or finally */
	bool freed;
	bool has_value;		/* it has a value from the beginning */
	bool reached;		/* used by leaks.c */
};

void heap_objects(void (*visit)(const struct object *object));

/* Returns the object that @address is in or close to; NULL if there is none. */
struct object *heap_object_near(uintptr_t address);
const char *heap_name_of(const struct object *object);

/* Returns the object that @address is in or right behind; NULL if there is none. */
struct object *heap_object(uintptr_t address);

/*
 * Whether each thread that may access @address now may do so in every execution until the free,
 * because no thread has allocated the object.
 */
bool heap_is_lasting(uintptr_t address);

#pragma GCC visibility pop

#endif /* NAP_CHECK_HEAP_H */
