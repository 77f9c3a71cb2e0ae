/* SPDX-License-Identifier: MIT */
/*
 * Threads on AArch64: the thread pointer is tpidr_el0; the thread-local variables lie above it,
 * after two reserved words ("ELF Handling For Thread-Local Storage", variant I).
 */
#ifndef NAP_ARCH_THREAD_H
#define NAP_ARCH_THREAD_H

#include <stdint.h>

#include "syscall.h"

#define NAP__TLS_BELOW		0	/* 1: thread-local variables lie below the thread pointer */
/* bytes of the gap between the thread pointer and thread-local variables above it */
#define NAP__TLS_GAP		16
#define NAP__TCB_SIZE		16	/* bytes that are used from the thread pointer on */

#define NAP__R_RELATIVE		1027
#define NAP__PAGE_MAX		65536

static inline void nap__set_thread_pointer(void *tp)
{
	asm volatile("msr	tpidr_el0, %0" : : "r" (tp) : "memory");
}

/* Returns the argument of clone(2) for a thread pointer @tp. */
static inline void *nap__clone_thread_pointer(void *tp)
{
	return tp;
}

#endif /* NAP_ARCH_THREAD_H */
