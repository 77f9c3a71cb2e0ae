/* SPDX-License-Identifier: MIT */
#include "graph/values.h"

static unsigned length_of(uint64_t queue)
{
	unsigned n = 0;

	for (; queue; queue >>= 8)
		n++;
	return n;
}

uint64_t futex_entry(uint64_t queue, uint64_t n)
{
	return n < MAX_WAITERS ? queue >> 8 * n & 0xff : 0;
}

uint64_t futex_without(uint64_t queue, uint64_t entry)
{
	for (unsigned shift = 0; shift < 64; shift += 8) {
		uint64_t below = ((uint64_t)1 << shift) - 1;

		if ((queue >> shift & 0xff) == entry)
			return (queue & below) | ((shift < 56 ? queue >> (shift + 8) : 0) << shift);
	}
	return queue;
}

unsigned futex_wakes(uint64_t queue, uint64_t n)
{
	unsigned length = length_of(queue);

	return n < length ? (unsigned)n : length;
}

static uint64_t without_first(uint64_t queue, unsigned n)
{
	return n < MAX_WAITERS ? queue >> 8 * n : 0;
}

uint64_t rmw_value(enum rmw rmw, uint64_t old, uint64_t operand, unsigned size)
{
	switch (rmw) {
	case RMW_XCHG:
	case RMW_CAS:
		return cut_to(operand, size);
	case RMW_ADD:
		return cut_to(old + operand, size);
	case RMW_SUB:
		return cut_to(old - operand, size);
	case RMW_AND:
		return old & operand;
	case RMW_OR:
		return cut_to(old | operand, size);
	case RMW_XOR:
		return cut_to(old ^ operand, size);
	case RMW_NAND:
		return cut_to(~(old & operand), size);
	case RMW_WAIT:
	case RMW_QUEUE:
		return length_of(old) < MAX_WAITERS ? old | operand << 8 * length_of(old) : old;
	case RMW_CANCEL:
		return futex_without(old, operand);
	case RMW_WAKE:
		return without_first(old, futex_wakes(old, operand));
	case RMW_SIGNAL:
		return futex_without(old, futex_entry(old, operand));
	case RMW_NONE:
		break;
	}
	return old;
}
