/* SPDX-License-Identifier: MIT */
#include "test/test.h"

/*
 * Compares values as 32 bits if both are numbers of 32 bits, signed or not: a C int of -1 and a W
 * register that holds 0xffffffff are both -1 in the question. Values that are declared as 64 bits
 * (@wide) are compared as such.
 */
static bool equal(uint64_t a, uint64_t b, bool wide)
{
	if (a == b || wide)
		return a == b;
	return (uint32_t)a == (uint32_t)b && (a >> 32 == 0 || a >> 31 == 0x1ffffffff) &&
		(b >> 32 == 0 || b >> 31 == 0x1ffffffff);
}

bool prop_holds(const struct prop *prop, const uint64_t *state)
{
	switch (prop->kind) {
	case PROP_TRUE:
		return true;
	case PROP_FALSE:
		return false;
	case PROP_EQUAL:
		return equal(state[prop->observed], prop->other ? state[prop->with] : prop->value,
			     prop->wide);
	case PROP_NOT:
		return !prop_holds(prop->a, state);
	case PROP_AND:
		return prop_holds(prop->a, state) && prop_holds(prop->b, state);
	case PROP_OR:
		return prop_holds(prop->a, state) || prop_holds(prop->b, state);
	case PROP_IMPLIES:
		return !prop_holds(prop->a, state) || prop_holds(prop->b, state);
	}
	return false;
}
