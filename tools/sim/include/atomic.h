/* SPDX-License-Identifier: MIT */
/*
 * Found before arch/c11/atomic.h, which it includes: the compiler's instrumentation calls hooks for
 * all operations of that file, except the pause: the hooks cannot tell the pause's builtin from a
 * compiler fence.
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
