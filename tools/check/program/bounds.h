/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_BOUNDS_H
#define NAP_CHECK_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

/*
 * A fault unless the running thread may access [@address, @address + @size): in an object of the heap
 * that it knows of and nobody has freed, in one static object, or in what is none of the program's
 * but is there. Of stacks only that they are there is known.
 */
void check_bounds(uintptr_t address, size_t size, uintptr_t pc);

/* The name of a fault of the machine's at @address, where nothing is. */
const char *nowhere_name(uintptr_t address);

#endif /* NAP_CHECK_BOUNDS_H */
