/* SPDX-License-Identifier: MIT */
/* Contexts on x86-64: arch/x86_64/context.S has what lies on the stack of one that is not running. */
#ifndef NAP_ARCH_CONTEXT_H
#define NAP_ARCH_CONTEXT_H

#include <stdint.h>

/* Store the running context's stack pointer in *@save; go on with @sp. Returns when somebody does. */
void nap__context_switch(void **save, void *sp);

extern char nap__context_begin[] __attribute__((visibility("hidden")));

/* A context that calls @run(@arg), which does not return, below @top, aligned to 16; its @sp. */
static inline void *nap__context_make(void *top, void (*run)(void *arg), void *arg)
{
	uint64_t *sp = (uint64_t *)top - 10;
	uint32_t mxcsr;
	uint16_t x87;

	asm volatile("stmxcsr %0" : "=m" (mxcsr));
	asm volatile("fnstcw %0" : "=m" (x87));
	sp[0] = mxcsr | (uint64_t)x87 << 32;
	sp[1] = sp[2] = 0;
	sp[3] = (uint64_t)run;
	sp[4] = (uint64_t)arg;
	sp[5] = sp[6] = 0;
	sp[7] = (uint64_t)nap__context_begin;
	sp[8] = sp[9] = 0;
	return sp;
}

#endif /* NAP_ARCH_CONTEXT_H */
