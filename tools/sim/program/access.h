/* SPDX-License-Identifier: MIT */
/*
 * The functions by which the running thread pays for its accesses. They do nothing outside of the
 * simulation.
 */
#ifndef NAP_SIM_ACCESS_H
#define NAP_SIM_ACCESS_H

#include "machine/lines.h"

void access_load(uintptr_t address, uintptr_t pc);
void access_store(uintptr_t address, uintptr_t pc);
void access_locked(uintptr_t address, uintptr_t pc);

/* An access to a block of memory: pays for each of its lines. */
void access_range(uintptr_t address, uintptr_t size, bool write, uintptr_t pc);

/* Waits until every store is done. */
void access_fence(void);

#endif /* NAP_SIM_ACCESS_H */
