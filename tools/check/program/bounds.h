/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_BOUNDS_H
#define NAP_CHECK_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reports a fault unless the running thread may access [@address, @address + @size). The range may
 * lie in an object of the heap that the thread knows and that is not freed, in one static object,
 * or in mapped memory that is not the program's. For a range on a stack, only whether it is mapped
 * is checked.
 */
void check_bounds(uintptr_t address, size_t size, uintptr_t pc);

/* Returns the name of the machine's fault at @address, where nothing is mapped. */
const char *nowhere_name(uintptr_t address);

#endif /* NAP_CHECK_BOUNDS_H */
