/* SPDX-License-Identifier: MIT */
/* The table of pools: src/worker/pools.h. */
#include "worker/pools.h"

#ifndef NAP_NO_TRACE		/* without a dump there is no table of pools */
uintptr_t nap__pools[NAP_POOLS];
#endif
