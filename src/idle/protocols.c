/* SPDX-License-Identifier: MIT */
/*
 * The idle protocols by their numbers.
 *
 * NAP_ON_DEMAND (the bare library): except for the first protocol, the linker takes one into a
 * program when something else names its table, as NAP_BARE_IDLE_GO of nap/bare.h does. Here the
 * name is weak, which takes nothing in. The address of an absent table is NULL in data on every
 * machine; in an instruction of a position-independent program it would not be.
 */
#include "idle/protocols.h"

#define NOTHING(NAME, name)
#define PRAGMA(text)		_Pragma(#text)
#define WEAK(NAME, name)	PRAGMA(weak nap__##name##_ops)
#define ENTRY(NAME, name)	[NAP_IDLE_##NAME] = &nap__##name##_ops,

#ifdef NAP_ON_DEMAND
IDLE_PROTOCOLS(NOTHING, WEAK)
#endif

const struct nap__idle_ops *const nap__idle_protocols[] = { IDLE_PROTOCOLS(ENTRY, ENTRY) };

_Static_assert(sizeof(nap__idle_protocols) / sizeof(*nap__idle_protocols) == NAP__IDLE_PROTOCOLS,
	       "one is not in the table");
