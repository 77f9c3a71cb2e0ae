/* SPDX-License-Identifier: MIT */
/* Contexts on AArch64. arch/aarch64/context.S shows the stack of a context that does not run. */
#ifndef NAP_ARCH_CONTEXT_H
#define NAP_ARCH_CONTEXT_H

/*
 * Stores the stack pointer in *@save and switches to @sp. Returns when another context switches
 * back.
 */
void nap__context_switch(void **save, void *sp);

/* On x86-64 nap__context_jump() differs from nap__context_switch(); here the two are the same. */
#define nap__context_jump nap__context_switch

/*
 * Makes a context that calls @run(@arg) below @top, and returns its @sp. @run returns the @sp of
 * the context that continues after @run. The new context begins with the floating-point control of
 * @like, the @sp of a context that does not run; NULL: with the caller's.
 */
void *nap__context_make(void *top, void *(*run)(void *arg), void *arg,
			const void *like);

#endif /* NAP_ARCH_CONTEXT_H */
