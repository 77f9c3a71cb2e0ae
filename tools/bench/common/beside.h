/* SPDX-License-Identifier: MIT */
/*
 * What comes beside tasks comes at no time that has to do with theirs: between two of it lie 1 to 2
 * ms, the same ones in each language.
 */
#ifndef NAP_BENCH_BESIDE_H
#define NAP_BENCH_BESIDE_H

#include <stdint.h>

/* So many tasks for each worker schedule themselves again, so some always wait. */
#define BESIDE_TASKS 4u

/* The next pause; @state is 1 at first. */
static inline uint64_t beside_pause(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return 1000000u + (*state >> 8) % 1000000u;
}

#endif /* NAP_BENCH_BESIDE_H */
