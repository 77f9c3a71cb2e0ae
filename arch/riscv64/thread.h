/* SPDX-License-Identifier: MIT */
/*
 * Threads on RISC-V: the thread pointer is the register tp; the thread-local variables begin at its
 * address (RISC-V ELF psABI, "Thread Local Storage": variant I without a gap).
 */
#ifndef NAP_ARCH_THREAD_H
#define NAP_ARCH_THREAD_H

#include <stdint.h>

#include "syscall.h"

#define NAP__TLS_BELOW		0	/* 1: thread-local variables lie below the thread pointer */
/* bytes of the gap between the thread pointer and thread-local variables above it */
#define NAP__TLS_GAP		0
#define NAP__TCB_SIZE		0	/* bytes that are used from the thread pointer on */

#define NAP__R_RELATIVE		3
#define NAP__PAGE_MAX		4096

static inline void nap__set_thread_pointer(void *tp)
{
	asm volatile("mv	tp, %0" : : "r" (tp) : "memory");
}

/* Returns the argument of clone(2) for a thread pointer @tp. */
static inline void *nap__clone_thread_pointer(void *tp)
{
	return tp;
}

#endif /* NAP_ARCH_THREAD_H */
