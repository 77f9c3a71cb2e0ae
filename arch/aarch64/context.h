/* SPDX-License-Identifier: MIT */
/* Contexts on AArch64; the stack of a context that does not run: arch/aarch64/context.S. */
#ifndef NAP_ARCH_CONTEXT_H
#define NAP_ARCH_CONTEXT_H

/* Stores the stack pointer in *@save and switches to @sp. Returns when switched back to. */
void nap__context_switch(void **save, void *sp);

/* Makes a context that calls @run(@arg), which does not return, below @top; returns its @sp. */
void *nap__context_make(void *top, void (*run)(void *arg), void *arg);

#endif /* NAP_ARCH_CONTEXT_H */
