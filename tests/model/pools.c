/* SPDX-License-Identifier: MIT */
/*
 * The table of pools of src/worker/pools.h, with one slot. A signal handler that looks at a pool
 * reads what was written before the pool came into the table; the pool's memory stays until the
 * handler has finished. Invariant: no race for the pool's memory.
 */
/* model.mk links no worker into a program that defines its ring size; this one uses no ring. */
#define NAP_RING_SIZE	2
#define NAP_POOLS	1u

#include "worker/pools.h"

#include <nap/check.h>

uintptr_t nap__pools[NAP_POOLS];
static struct nap_pool pool;

static void begin(void)
{
	check_name(nap__pools, sizeof(nap__pools), "table");
	check_name(&pool.config.max_workers, sizeof(pool.config.max_workers), "pool");
}

/* Uses the pool, joins it, and uses its memory for something else. */
static void owner(void *arg)
{
	(void)arg;
	pool.config.max_workers = 1;
	pools_enter(&pool);
	while (!pools_leave(&pool))
		nap_cpu_relax();
	pool.config.max_workers = 2;
}

static void handler(void *arg)
{
	struct nap_pool *seen = pool_look(&nap__pools[0]);

	(void)arg;
	if (!seen)
		return;
	CHECK(seen == &pool && seen->config.max_workers == 1);
	pool_look_away(&nap__pools[0]);
}

static void judge(void)
{
	CHECK(!nap__pools[0]);
}

/* A test of [M8] and [M9] in ordering.rst. */
CHECK_SCENARIO(pools_looked_at,
	.about = "pools: a handler looks at a pool that is joined",
	.setup = begin, .finally = judge,
	.threads = { { owner, NULL, "owner" }, { handler, NULL, "handler" },
		     { handler, NULL, "handler" } });
