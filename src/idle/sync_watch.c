/* SPDX-License-Identifier: MIT */
/* Looking at the Sync word from outside the protocol: is it quiet, how many are there. */
#include "idle/idle.h"

#include "atomic.h"
#include "idle/sync.h"

bool nap__sync_quiet(struct nap_pool *pool)
{
	return sync_quiet(nap_load_acquire(&pool->sync));	/* pairs with fall_idle() [S4] */
}

uint32_t nap__sync_spawned(struct nap_pool *pool)
{
	return sync_spawned(nap_load_relaxed(&pool->sync));
}

uint32_t nap__sync_idle(struct nap_pool *pool)
{
	return sync_idle(nap_load_relaxed(&pool->sync));
}
