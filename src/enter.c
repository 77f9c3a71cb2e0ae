/* SPDX-License-Identifier: MIT */
/* A pool's first use. */
#include "enter.h"

#include "debug.h"
#include "happens.h"
#include "os.h"

void nap__pool_start(struct nap_pool *pool)
{
	const struct nap_config *config = &pool->config;
	uint32_t limit = config->max_workers;

	if (limit == 0)
		limit = nap__os_cpu_count(config->affinity, config->affinity_size);
	/* A static initialiser cannot refuse a larger number. */
	if (limit > NAP_MAX_WORKERS)
		limit = NAP_MAX_WORKERS;
	nap__os_init();
	nap_cmpxchg_relaxed(&pool->fork_gen, 0, nap_load_relaxed(&nap__fork_gen));
	nap_cmpxchg_relaxed(&pool->plain, 0, DEBUG_BUILD || is_detected() ?
						     PLAIN_NO_MORE : nap_load_relaxed(&pool->fork_gen));
	/* No files are read where the program says how many. */
	nap_store_relaxed(&pool->cpus, config->max_workers ?
		nap__os_cpus_allowed(config->affinity, config->affinity_size) : limit);
	/* The first one sizes the pool. Pairs with pool_start(). [P2] */
	nap_cmpxchg_release(&pool->limit, 0, limit);
}
