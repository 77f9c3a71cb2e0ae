/* SPDX-License-Identifier: MIT */
/* Contexts on x86-64. arch/x86_64/context.S shows the stack of a context that does not run. */
#ifndef NAP_ARCH_CONTEXT_H
#define NAP_ARCH_CONTEXT_H

#include <stdint.h>

/*
 * Stores the stack pointer in *@save and switches to @sp. Returns when another context switches
 * back.
 */
void nap__context_switch(void **save, void *sp);

/*
 * As nap__context_switch(), but ends with a jump instead of a return: for a new context, and for a
 * switch between a thread and a fiber. context.S has the reason.
 */
void nap__context_jump(void **save, void *sp);

extern char nap__context_begin[] __attribute__((visibility("hidden")));

/*
 * Makes a context that calls @run(@arg) below @top, and returns its @sp. @run returns the @sp of
 * the context that continues after @run. The new context begins with the floating-point control of
 * @like, the @sp of a context that does not run; NULL: with the caller's.
 */
static inline void *nap__context_make(void *top, void *(*run)(void *arg), void *arg,
				      const void *like)
{
	uint64_t *sp = (uint64_t *)top - 10;
	uint32_t mxcsr;
	uint16_t x87;

	if (like) {
		sp[0] = *(const uint64_t *)like;
	} else {
		asm volatile("stmxcsr %0" : "=m" (mxcsr));
		asm volatile("fnstcw %0" : "=m" (x87));
		sp[0] = mxcsr | (uint64_t)x87 << 32;
	}
	sp[1] = sp[2] = 0;
	sp[3] = (uint64_t)run;
	sp[4] = (uint64_t)arg;
	sp[5] = sp[6] = 0;
	sp[7] = (uint64_t)nap__context_begin;
	sp[8] = sp[9] = 0;
	return sp;
}

#endif /* NAP_ARCH_CONTEXT_H */
