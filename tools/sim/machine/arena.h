/* SPDX-License-Identifier: MIT */
/* The memory that stacks and objects come from. This memory has the same addresses in every run. */
#ifndef NAP_SIM_ARENA_H
#define NAP_SIM_ARENA_H

#include <stdbool.h>
#include <stdint.h>

bool arena_init(void);

/*
 * Returns zeroed memory, aligned to a page, or to a line if @size is less than a page. NULL: too
 * little is left.
 */
void *arena_alloc(uint64_t size);

#endif /* NAP_SIM_ARENA_H */
