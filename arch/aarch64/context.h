/* SPDX-License-Identifier: MIT */
/* Contexts on AArch64: arch/aarch64/context.S has what lies on the stack of one that does not run. */
#ifndef NAP_ARCH_CONTEXT_H
#define NAP_ARCH_CONTEXT_H

/* Store the running context's stack pointer in *@save; go on with @sp. Returns when somebody does. */
void nap__context_switch(void **save, void *sp);

/* A context that calls @run(@arg), which does not return, below @top, aligned to 16; its @sp. */
void *nap__context_make(void *top, void (*run)(void *arg), void *arg);

#endif /* NAP_ARCH_CONTEXT_H */
