/* SPDX-License-Identifier: MIT */
/*
 * The time-stamp counter of x86-64: rdtsc. The processor may execute rdtsc a little earlier or
 * later than its neighbours; this error is smaller than the measured times. (Intel, "Software
 * Developer's Manual", volume 3, 18.17; AMD, "Programmer's Manual", volume 3, CPUID 8000_0007.)
 */
#ifndef NAP_ARCH_CLOCK_H
#define NAP_ARCH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define NAP__TICKS_CLOCK	NAP_TRACE_TSC

static inline uint64_t nap__ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static inline void nap__cpuid(uint32_t leaf, uint32_t *eax, uint32_t *edx)
{
	uint32_t ebx, ecx = 0;

	*eax = leaf;
	__asm__ volatile("cpuid" : "+a"(*eax), "=b"(ebx), "+c"(ecx), "=d"(*edx));
}

/* Whether the counter runs at one rate in all states of the CPU: the invariant TSC. */
static inline bool nap__ticks_are_steady(void)
{
	uint32_t most, edx;

	nap__cpuid(0x80000000u, &most, &edx);
	if (most < 0x80000007u)
		return false;
	nap__cpuid(0x80000007u, &most, &edx);
	return edx & 1u << 8;
}

#endif /* NAP_ARCH_CLOCK_H */
