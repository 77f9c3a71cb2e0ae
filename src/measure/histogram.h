/* SPDX-License-Identifier: MIT */
/*
 * A histogram with log-linear buckets, each power of two divided into 16 (Tene's HdrHistogram). The
 * bounds of a bucket differ by at most one part in 16. A bound belongs to the bucket below it, as
 * in Prometheus; so the bucket is chosen by the value less one.
 *
 * Typically one thread writes, by plain loads and stores, and others read at any time.
 */
#ifndef NAP_MEASURE_HISTOGRAM_H
#define NAP_MEASURE_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/histogram.h>

#include "arch/atomic.h"

#define BUCKETS_LOG	4
#define BUCKETS_EACH	(1u << BUCKETS_LOG)	/* buckets for each power of two */
#define VALUE_LOG	40			/* larger values are in the last bucket */

_Static_assert(NAP_HISTOGRAM_BUCKETS == (VALUE_LOG - BUCKETS_LOG + 1) * BUCKETS_EACH + 1,
	       "a bucket for each part of each power of two, and one more");

/* One histogram. It is written by its owner, or by several threads: @shared below. */
struct nap__histogram {
	uint64_t sum;
	uint64_t missed;
	uint64_t of[NAP_HISTOGRAM_BUCKETS];
};

/* Returns the bucket of @value. */
static inline uint32_t bucket_of(uint64_t value)
{
	uint64_t below = value ? value - 1 : 0;
	uint32_t log;

	if (below < BUCKETS_EACH)
		return (uint32_t)below;
	if (below >> VALUE_LOG)
		return NAP_HISTOGRAM_BUCKETS - 1;
	log = 63 - (uint32_t)__builtin_clzll(below) - BUCKETS_LOG;
	return (log + 1) * BUCKETS_EACH + ((uint32_t)(below >> log) & (BUCKETS_EACH - 1));
}

/* Returns the largest value of bucket @n, which is not the last one. */
static inline uint64_t bucket_bound(uint32_t n)
{
	uint32_t part = n % BUCKETS_EACH;

	if (n < BUCKETS_EACH)
		return n + 1;
	return (uint64_t)(BUCKETS_EACH + part + 1) << (n / BUCKETS_EACH - 1);
}

/*
 * @shared: several threads write the counter. Otherwise only its owner writes it, and not in a
 * signal handler.
 */
static inline void histogram_add(uint64_t *counter, uint64_t n, bool shared)
{
	if (shared)
		nap_fetch_add_relaxed(counter, n);
	else
		nap_store_relaxed(counter, nap_load_relaxed(counter) + n);
}

static inline void histogram_count(struct nap__histogram *histogram, uint64_t value, bool shared)
{
	histogram_add(&histogram->of[bucket_of(value)], 1, shared);
	histogram_add(&histogram->sum, value, shared);
}

#endif /* NAP_MEASURE_HISTOGRAM_H */
