/* SPDX-License-Identifier: MIT */
/*
 * The table of functions for measured pools (src/worker/measure.h), and the memory of such a pool.
 */
#include "measure/measure.h"

#include <nap/config.h>

#include "os/os.h"

/*
 * There are two cells for each of config->measure tasks: then hardly one task in a million finds
 * STAMPS_PROBED cells taken.
 */
static uint64_t cells(const struct nap_config *config)
{
	uint64_t n = STAMPS_PROBED;

	/* A larger number is cut here, because a static initialiser cannot refuse it. */
	while (n < 2 * (uint64_t)config->measure && n < 2 * NAP_MEASURE_MAX)
		n *= 2;
	return n;
}

/* Returns the bytes of a set of histograms. */
static size_t set_size(uint32_t parties)
{
	size_t size = sizeof(struct nap__measured) +
		      parties * NAP_MEASURE_WAKE * sizeof(struct nap__histogram);

	return (size + NAP__CACHE_LINE - 1) / NAP__CACHE_LINE * NAP__CACHE_LINE;
}

static size_t sets_at(const struct nap__measure *measure)
{
	return sizeof(*measure) + measure->workers * sizeof(struct nap__waking);
}

static size_t stamps_at(const struct nap__measure *measure)
{
	return sets_at(measure) + (measure->workers + 1) * measure->set_size;
}

static size_t measure_size(const struct nap__measure *measure)
{
	return stamps_at(measure) + (measure->mask + 1) * sizeof(struct nap__stamp);
}

/* Several threads may run this at once; only one of them installs its memory. */
static void start_measure(struct nap_pool *pool)
{
	struct nap__measure shape = {
		.mask = cells(&pool->config) - 1,
		.set_size = set_size(measure_parties(pool)),
		.workers = pool_capacity(pool) + SPARE_RECORDS + NAP_GUESTS,
		.parties = measure_parties(pool),
	};
	char *map = nap__os_map(measure_size(&shape));

	if (!map)
		return;
	/* Without large pages only the pages that are written take memory. */
	nap__os_small_pages(map, measure_size(&shape));
	shape.sets = map + sets_at(&shape);
	shape.stamps = (struct nap__stamp *)(void *)(map + stamps_at(&shape));
	*(struct nap__measure *)(void *)map = shape;
	/* The measure's members are set before this: pairs with the loads of pool->measure. [M6] */
	if (nap_cmpxchg_release(&pool->measure, NULL, (struct nap__measure *)(void *)map))
		nap__os_unmap(map, measure_size(&shape));
	watch(pool, WATCH_MEASURE);
}

static void forget_measure(struct nap_pool *pool)
{
	struct nap__measure *measure = nap_load_relaxed(&pool->measure);

	nap_store_relaxed(&pool->measure, NULL);
	nap__os_unmap(measure, measure_size(measure));
}

const struct nap__measure_ops nap__measure_ops = {
	.start = start_measure,
	.put = nap__measure_put,
	.put_due = nap__measure_put_due,
	.begin = nap__measure_begin,
	.end = nap__measure_end,
	.wake = nap__measure_wake,
	.woken = nap__measure_woken,
	.forget = forget_measure,
};
