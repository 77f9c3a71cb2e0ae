/* SPDX-License-Identifier: MIT */
/*
 * Is found before arch/c11/atomic.h, and includes it. The compiler's instrumentation calls hooks
 * for all operations of that file except the pause, because the hooks cannot tell the pause's
 * builtin from a compiler fence. So this file has a pause of its own.
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
