/* SPDX-License-Identifier: MIT */
/* Reading histograms: nap/histogram.h. Typically most buckets of a worker are 0. */
#include <nap/histogram.h>

#include <errno.h>
#include <string.h>

#include "measure/measure.h"
#include "os/happens.h"
#include "sync/debug.h"
#include "sync/gate.h"
#include "worker/phase.h"
#include "worker/registry.h"

uint64_t nap_histogram_bound(uint32_t bucket)
{
	return bucket < NAP_HISTOGRAM_BUCKETS - 1 ? bucket_bound(bucket) : UINT64_MAX;
}

/* Returns the rank of the @ppm quantile among @count values; at least 1. */
static uint64_t rank_of(uint64_t count, uint64_t ppm)
{
	const uint64_t million = 1000000;

	if (ppm > million)
		ppm = million;
	if (ppm == 0)
		ppm = 1;
	return count / million * ppm + (count % million * ppm + million - 1) / million;
}

uint64_t nap_histogram_quantile(const struct nap_histogram *histogram, uint32_t ppm)
{
	uint64_t left;

	if (!histogram || !histogram->count)
		return 0;
	left = rank_of(histogram->count, ppm);
	/* Not noticed in tests when <= for <: behind the last bucket any value gives UINT64_MAX. */
	for (uint32_t i = 0; i < NAP_HISTOGRAM_BUCKETS; i++) {
		if (histogram->of[i] >= left)
			return nap_histogram_bound(i);
		left -= histogram->of[i];
	}
	return UINT64_MAX;
}

static void add_histogram(struct nap_histogram *out, struct nap__histogram *from)
{
	out->sum += nap_load_relaxed(&from->sum);
	for (uint32_t i = 0; i < NAP_HISTOGRAM_BUCKETS; i++) {
		uint64_t n = nap_load_relaxed(&from->of[i]);

		out->of[i] += n;
		out->count += n;
	}
}

/* Adds one set of histograms. */
static void add_measured(struct nap__measure *measure, struct nap__measured *from,
			 enum nap_measured what, uint32_t which, struct nap_histogram *out)
{
	if (what == NAP_MEASURE_WAKE) {
		add_histogram(out, &from->wake);
		return;
	}
	for (uint32_t place = 0; place < measure->parties; place++) {
		if (which != NAP_ALL_CLASSES && place != measure_place(which))
			continue;
		add_histogram(out, &from->of[place][what]);
		if (what != NAP_MEASURE_QUEUE)
			out->missed += nap_load_relaxed(&from->of[place][NAP_MEASURE_WAIT].missed);
	}
}

static bool is_measured_as(struct nap_pool *pool, enum nap_measured what, uint32_t which)
{
	if ((uint32_t)what > NAP_MEASURE_WAKE)
		return false;
	return what == NAP_MEASURE_WAKE || which == NAP_ALL_CLASSES ||
	       which == PARTY_ORDINARY || which < measure_parties(pool) - 1;
}

/* Reads a histogram, inside the visits. */
static int read_histogram(struct nap_pool *pool, enum nap_measured what, uint32_t which,
			  struct nap_histogram *out)
{
	/* pairs with start_measure() [M6] */
	struct nap__measure *measure = nap_load_acquire(&pool->measure);

	if (!measure)
		return -ENODATA;
	memset(out, 0, sizeof(*out));
	/* Records that were never used are not visited, so that their pages stay untouched. */
	for (struct nap_worker *worker = registry_first(pool); worker; worker = worker->next)
		add_measured(measure, measured_at(measure, worker->index), what, which, out);
	add_measured(measure, measured_at(measure, measure->workers), what, which, out);
	return 0;
}

int nap_pool_histogram(struct nap_pool *pool, enum nap_measured what, uint32_t which,
		       struct nap_histogram *out)
{
	int err = -ESHUTDOWN;

	if (!pool || !out || !is_measured_as(pool, what, which))
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	unseen_begin();
	/* Reading does not count as a use. */
	if (!nap_load_relaxed(&pool->limit) && !pool_forked(pool)) {
		err = -ENODATA;
	} else if (!pool_forked(pool) && gate_enter(&pool->visits)) {
		err = read_histogram(pool, what, which, out);
		gate_leave(&pool->visits);
	}
	unseen_end();
	return err;
}
