/* SPDX-License-Identifier: MIT */
/* The common part of the benchmarks: clocks, and work of a known length. */
#ifndef NAP_BENCH_H
#define NAP_BENCH_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline void work(uint64_t loops)
{
	for (uint64_t i = 0; i < loops; i++)
		__asm__ volatile("");
}

/* Returns how many loops of work() take @ns: from the quickest of many tries. */
static inline uint64_t loops_of(uint64_t ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 50; i++) {
		uint64_t begin = clock_ns(CLOCK_MONOTONIC), took;

		work(200000);
		took = clock_ns(CLOCK_MONOTONIC) - begin;
		if (took < best)
			best = took;
	}
	return 200000 * ns / (best ? best : 1);
}

#endif /* NAP_BENCH_H */
