/* SPDX-License-Identifier: MIT */
/*
 * The shadow has a byte for each 8 bytes of the program that no other thread has ever touched:
 * OWNED_BY(thread), with SHADOW_WRITTEN after that thread has written there. Most accesses are to
 * such memory, on the stack, and need only this byte.
 */
#ifndef NAP_CHECK_SHADOW_H
#define NAP_CHECK_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "program/locals.h"
#include "program/memory.h"
#include "program/turns.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

#define OWNED_BY(thread)	((thread) + 1)
#define OWNED_BY_NOBODY		0x7f
#define SHADOW_WRITTEN		0x80
#define LOW_SIZE		((size_t)16 << 20)	/* of static storage */
extern uint8_t shadow_low[LOW_SIZE / 8], shadow_high[MEMORY_SIZE / 8];
extern uint8_t shadow_mine;	/* the running thread's OWNED_BY() */

static inline uint8_t *shadow_of(uintptr_t address)
{
	if (address < LOW_SIZE)
		return &shadow_low[address / 8];
	if (address - MEMORY_BASE < MEMORY_SIZE)
		return &shadow_high[(address - MEMORY_BASE) / 8];
	return NULL;
}

static inline void shadow_forget(uintptr_t address)
{
	uint8_t *byte = shadow_of(address);

	if (byte)
		*byte = 0;
}

static inline void shadow_forget_all(uintptr_t from, uintptr_t to)
{
	memset(&shadow_high[(from - MEMORY_BASE) / 8], 0, (to - from + 7) / 8);
}

/*
 * plain.c: accesses. plain_access_slowly() reads a value, of which a byte must have been written,
 * or writes one. plain_range() takes a range that may have padding. plain_copy() keeps unwritten
 * bytes unwritten.
 */
void plain_access_slowly(uintptr_t address, size_t size, bool write, uintptr_t pc);
void plain_range(uintptr_t address, size_t size, bool write, uintptr_t pc);
void plain_copy(void *to, const void *from, size_t size, uintptr_t pc);

/* strings.c: reads the string at @s up to its end, or to @most bytes; returns how many bytes. */
size_t string_read(const char *s, size_t most, uintptr_t pc);

/* Whether @address is on the running thread's stack, the only one whose state turns.c knows. */
static inline bool is_on_own_stack(uintptr_t address)
{
	return address - own_stack < STACK_SIZE;
}

static inline __attribute__((always_inline)) void plain_access(const void *p, size_t size,
							       bool write, uintptr_t pc)
{
	uintptr_t address = (uintptr_t)p;
	const uint8_t *byte = shadow_of(address);

	if (__builtin_expect(!--plain_left, 0))
		turn_plain();
	if (byte && address % 8 + size <= 8 && (*byte == (shadow_mine | SHADOW_WRITTEN) ||
						(!write && *byte == shadow_mine)) &&
	    (write || size < 4 || *(const uint32_t *)p != LOCAL_FILL_4)) {
		if (write && !is_on_own_stack(address))
			wrote_elsewhere(address, size);
		return;
	}
	plain_access_slowly(address, size, write, pc);
}

#pragma GCC visibility pop

#endif /* NAP_CHECK_SHADOW_H */
