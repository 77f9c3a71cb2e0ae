/* SPDX-License-Identifier: MIT */
/*
 * The idle protocols by their numbers.
 *
 * NAP_ON_DEMAND (the bare library): except for the first, the linker takes one into a program when
 * something else names its table, as NAP_BARE_IDLE_GO of nap/bare.h does. Here the name is weak,
 * which takes nothing in. A reference by an address in data is NULL then on every machine; one by
 * an instruction would not be, in a position-independent program.
 */
#include "idle/idle.h"

#ifdef NAP_ON_DEMAND
#pragma weak nap__go_ops
#pragma weak nap__jec_ops
#endif

const struct nap__idle_ops *const nap__idle_protocols[] = {
	[NAP_IDLE_SYNC] = &nap__sync_ops,
	[NAP_IDLE_GO] = &nap__go_ops,
	[NAP_IDLE_JEC] = &nap__jec_ops,
};

_Static_assert(sizeof(nap__idle_protocols) / sizeof(*nap__idle_protocols) == NAP__IDLE_PROTOCOLS,
	       "one is not in the table");
