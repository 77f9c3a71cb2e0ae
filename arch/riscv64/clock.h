/* SPDX-License-Identifier: MIT */
/*
 * The time of RISC-V: rdtime, which runs at one rate. At any moment all harts read the same value,
 * within a tick. ("The RISC-V Instruction Set Manual", volume I, Zicntr.)
 */
#ifndef NAP_ARCH_CLOCK_H
#define NAP_ARCH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define NAP__TICKS_CLOCK	NAP_TRACE_RDTIME

static inline uint64_t nap__ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("rdtime %0" : "=r"(ticks));
	return ticks;
}

static inline bool nap__ticks_are_steady(void)
{
	return true;
}

#endif /* NAP_ARCH_CLOCK_H */
