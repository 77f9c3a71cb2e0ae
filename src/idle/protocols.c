/* SPDX-License-Identifier: MIT */
/*
 * The idle protocols by their numbers.
 *
 * NAP_ON_DEMAND (the bare library): the linker takes a protocol, except the first, into a program
 * only when something else names its table, as NAP_BARE_IDLE_GO of nap/bare.h does. The weak names
 * here do not count. The address of an absent table is NULL on every machine if the address stands
 * in data; if an instruction of a position-independent program computed the address, it would not
 * be NULL.
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
