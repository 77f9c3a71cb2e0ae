/* SPDX-License-Identifier: MIT */
/*
 * The build finds this file before arch/c11/atomic.h, which this file includes. By the compiler's
 * instrumentation each operation there calls a hook (program/hooks.c). The pause is an exception:
 * its builtin is also that of a compiler fence, and the hook cannot tell the two apart. So this
 * file has a pause of its own.
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
