/* SPDX-License-Identifier: MIT */
/* The table of pools: src/worker/pools.h. */
#include "worker/pools.h"

/* A program without a dump does not link this file, because nothing in it uses the table. */
uintptr_t nap__pools[NAP_POOLS];
uint32_t nap__pools_lock, nap__pools_process;
