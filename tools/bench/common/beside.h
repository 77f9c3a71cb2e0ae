/* SPDX-License-Identifier: MIT */
/*
 * Work that comes beside tasks, at times unrelated to them: pauses of 1 to 2 ms, the same
 * sequence of pauses in each language.
 */
#ifndef NAP_BENCH_BESIDE_H
#define NAP_BENCH_BESIDE_H

#include <stdint.h>

/* The number of tasks for each worker that schedule themselves again. So some tasks always wait. */
#define BESIDE_TASKS 4u

/* Returns the next pause; @state is 1 at first. */
static inline uint64_t beside_pause(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return 1000000u + (*state >> 8) % 1000000u;
}

#endif /* NAP_BENCH_BESIDE_H */
