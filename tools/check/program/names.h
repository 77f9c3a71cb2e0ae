/* SPDX-License-Identifier: MIT */
/* The name of an address: as the scenario says, else as the program's symbol table has it. */
#ifndef NAP_CHECK_NAMES_H
#define NAP_CHECK_NAMES_H

#include <stddef.h>
#include <stdint.h>

void names_clear(void);
void describe_address(uintptr_t address, char *out, size_t size);
void describe_location(unsigned location, char *out, size_t size);

/* elf.c: the static variable at @address, or the function that begins there; NULL: none is known. */
const char *object_at(uintptr_t address, uintptr_t *offset);

/* The static variable called @name, and its size in *@size; 0 and no size: there is none. */
uintptr_t object_named(const char *name, size_t *size);

/*
 * The last static object that begins at @address or before, and where it begins and ends; NULL: none
 * is known, or the last name there has no size.
 */
const char *object_before(uintptr_t address, uintptr_t *begin, uintptr_t *end);

#endif /* NAP_CHECK_NAMES_H */
