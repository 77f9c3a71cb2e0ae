/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_BOUNDS_H
#define NAP_CHECK_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

/*
 * A fault unless the running thread may access [@address, @address + @size). It may lie in an
 * object of the heap that the thread knows of and that is not freed, in one static object, or in
 * mapped memory that is not the program's. Of stacks it is only known that they are mapped.
 */
void check_bounds(uintptr_t address, size_t size, uintptr_t pc);

/* The name of the machine's fault at @address, where nothing is mapped. */
const char *nowhere_name(uintptr_t address);

#endif /* NAP_CHECK_BOUNDS_H */
