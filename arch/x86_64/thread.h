/* SPDX-License-Identifier: MIT */
/*
 * Threads on x86-64: the thread pointer is the base of %fs and points to a word with its own
 * address; the thread-local variables lie below that word ("ELF Handling For Thread-Local Storage",
 * variant II). Compilers read the stack guard at %fs:40, which NAP__TCB_SIZE includes.
 */
#ifndef NAP_ARCH_THREAD_H
#define NAP_ARCH_THREAD_H

#include <stdint.h>

#include "syscall.h"

#define NAP__TLS_BELOW		1	/* 1: thread-local variables lie below the thread pointer */
/* bytes of the gap between the thread pointer and thread-local variables above it */
#define NAP__TLS_GAP		0
#define NAP__TCB_SIZE		64	/* bytes that are used from the thread pointer on */

#define NAP__R_RELATIVE		8
#define NAP__PAGE_MAX		4096

static inline void nap__set_thread_pointer(void *tp)
{
	*(void **)tp = tp;
	nap__syscall2(NAP__NR_arch_prctl, 0x1002 /* ARCH_SET_FS */, (long)tp);
}

/* Returns the argument of clone(2) for a thread pointer @tp. */
static inline void *nap__clone_thread_pointer(void *tp)
{
	*(void **)tp = tp;
	return tp;
}

#endif /* NAP_ARCH_THREAD_H */
