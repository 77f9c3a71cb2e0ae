/* SPDX-License-Identifier: MIT */
/* Contexts on RISC-V. arch/riscv64/context.S shows the stack of a context that does not run. */
#ifndef NAP_ARCH_CONTEXT_H
#define NAP_ARCH_CONTEXT_H

#include <stdint.h>

/*
 * Stores the stack pointer in *@save and switches to @sp. Returns when another context switches
 * back.
 */
void nap__context_switch(void **save, void *sp);

/* On x86-64 nap__context_jump() differs from nap__context_switch(); here the two are the same. */
#define nap__context_jump nap__context_switch

extern char nap__context_begin[] __attribute__((visibility("hidden")));

/*
 * Makes a context that calls @run(@arg) below @top, and returns its @sp. @run returns the @sp of
 * the context that continues after @run. The new context begins with the floating-point control of
 * @like, the @sp of a context that does not run; NULL: with the caller's.
 */
static inline void *nap__context_make(void *top, void *(*run)(void *arg), void *arg,
				      const void *like)
{
	uint64_t *sp = (uint64_t *)top - 28;

	for (int i = 0; i < 28; i++)
		sp[i] = 0;
	sp[0] = (uint64_t)nap__context_begin;
	sp[2] = (uint64_t)run;
	sp[3] = (uint64_t)arg;
	if (like)
		sp[25] = ((const uint64_t *)like)[25];
	else
		asm volatile("frcsr %0" : "=r" (sp[25]));
	return sp;
}

#endif /* NAP_ARCH_CONTEXT_H */
