/* SPDX-License-Identifier: MIT */
/* The name of an address: from the scenario, else from the program's symbol table. */
#ifndef NAP_CHECK_NAMES_H
#define NAP_CHECK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void names_clear(void);
void describe_address(uintptr_t address, char *out, size_t size);

/* As describe_address(), for an access: names the member or element, if @name_member knows it. */
void describe_variable(uintptr_t address, char *out, size_t size);
extern bool (*name_member)(uintptr_t address, char *out, size_t size);
void describe_location(unsigned location, char *out, size_t size);

/* elf.c: the static variable at @address, or the function that begins there; NULL if unknown. */
const char *object_at(uintptr_t address, uintptr_t *offset);

/* Returns the static variable called @name, and its size in *@size; 0 and size 0 if unknown. */
uintptr_t object_named(const char *name, size_t *size);

/*
 * Returns the name of the last static object that begins at or before @address, and where it
 * begins and ends; NULL if unknown, or if the last name there has no size.
 */
const char *object_before(uintptr_t address, uintptr_t *begin, uintptr_t *end);

/* Returns a section of the program's file, and its size in *@size; NULL if there is none. */
const void *section_named(const char *name, size_t *size);

#endif /* NAP_CHECK_NAMES_H */
