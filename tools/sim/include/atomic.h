/* SPDX-License-Identifier: MIT */
/*
 * Found before arch/c11/atomic.h, which it includes: the compiler's instrumentation has hooks for all
 * of that file's operations, except for the pause, whose builtin it cannot tell from a compiler's fence.
 */
#ifndef NAP_SIM_ATOMIC_H
#define NAP_SIM_ATOMIC_H

#define nap__cpu_relax nap__c11_cpu_relax
#include "../../../arch/c11/atomic.h"
#undef nap__cpu_relax

void sim_relax(void);

static inline __attribute__((always_inline)) void nap__cpu_relax(void)
{
	sim_relax();
}

#endif /* NAP_SIM_ATOMIC_H */
