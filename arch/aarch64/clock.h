/* SPDX-License-Identifier: MIT */
/*
 * The virtual counter of AArch64: cntvct_el0, which runs at one rate, the same on all CPUs. Linux
 * lets programs read it. ("Arm Architecture Reference Manual", D12.)
 */
#ifndef NAP_ARCH_CLOCK_H
#define NAP_ARCH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define NAP__TICKS_CLOCK	NAP_TRACE_CNTVCT

static inline uint64_t nap__ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

static inline bool nap__ticks_are_steady(void)
{
	return true;
}

#endif /* NAP_ARCH_CLOCK_H */
