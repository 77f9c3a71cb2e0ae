/* SPDX-License-Identifier: MIT */
/* Contexts on AArch64; the stack of a context that does not run: arch/aarch64/context.S. */
#ifndef NAP_ARCH_CONTEXT_H
#define NAP_ARCH_CONTEXT_H

/* Stores the stack pointer in *@save and switches to @sp. Returns when switched back to. */
void nap__context_switch(void **save, void *sp);

/* As nap__context_switch(), for contexts that have not left their stacks by the same calls. */
#define nap__context_jump nap__context_switch

/*
 * Makes a context that calls @run(@arg) below @top, and returns its @sp. @run returns the @sp of the
 * context that goes on after it.
 */
void *nap__context_make(void *top, void *(*run)(void *arg), void *arg);

#endif /* NAP_ARCH_CONTEXT_H */
