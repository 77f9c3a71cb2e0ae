/* SPDX-License-Identifier: MIT */
/* A pool's first use. */
#include "worker/enter.h"

#include "os/happens.h"
#include "os/os.h"
#include "sync/debug.h"
#include "worker/capacity.h"
#include "worker/measure.h"
#include "worker/trace.h"

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;	/* Not noticed in tests when <= for <: both are the same then. */
}

uint32_t nap__wanted_workers(const struct nap_config *config)
{
	uint32_t workers = config->max_workers;

	if (workers == 0)
		workers = nap__os_cpu_count(config->affinity, config->affinity_size);
	/* A larger number is cut, because a static initialiser cannot refuse it. */
	return least(workers, NAP_MAX_WORKERS);
}

static uint32_t most_workers(const struct nap_config *config, uint32_t limit)
{
	uint32_t most = config->most_workers;

	/* Later the process may have more CPUs, but no more than are online. */
	if (most == 0 && config->max_workers == 0)
		most = nap__os_cpus_online();
	else if (most && config->max_workers == 0)
		return least(most, NAP_MAX_WORKERS);
	/* Not noticed in tests when <= for <: both are the same then. */
	return most < limit ? limit : least(most, NAP_MAX_WORKERS);
}

uint32_t nap__count_cpus(struct nap_pool *pool)
{
	const struct nap_config *config = &pool->config;
	uint32_t workers = nap__wanted_workers(config);

	/* If the program has set the number of workers, no files are read. */
	nap_store_relaxed(&pool->cpus, config->max_workers ?
		nap__os_cpus_allowed(config->affinity, config->affinity_size) : workers);
	return workers;
}

/* Whether each task needs a check, so that the pool is never plain (src/worker/phase.h). */
static bool is_never_plain(const struct nap_config *config)
{
	return DEBUG_BUILD || is_detected() || config->classes || (CAN_MEASURE && config->measure);
}

void nap__pool_start(struct nap_pool *pool)
{
	const struct nap_config *config = &pool->config;
	uint32_t limit;

	nap__os_init();
	nap_cmpxchg_relaxed(&pool->fork_gen, 0, nap_load_relaxed(&nap__fork_gen));
	nap_cmpxchg_relaxed(&pool->plain, 0, is_never_plain(config) ?
			    PLAIN_NO_MORE : nap_load_relaxed(&pool->fork_gen));
	limit = nap__count_cpus(pool);
	/* Each word is set by the first thread that gets here, perhaps each by another thread. */
	nap_cmpxchg_relaxed(&pool->most, 0, most_workers(config, limit));
	nap_cmpxchg_relaxed(&pool->base, 0, least(limit, nap_load_relaxed(&pool->most)));
	trace_start(pool);
	measure_start(pool);
	/* The sizes are stored before this: pairs with pool_start(). [P2] */
	nap_cmpxchg_release(&pool->limit, 0, nap_load_relaxed(&pool->base));
}
