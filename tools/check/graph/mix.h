/* SPDX-License-Identifier: MIT */
/* A hash of a sequence of numbers, one number after the other. */
#ifndef NAP_CHECK_MIX_H
#define NAP_CHECK_MIX_H

#include <stdint.h>

static inline uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ul;
	return hash ^ hash >> 29;
}

#endif /* NAP_CHECK_MIX_H */
