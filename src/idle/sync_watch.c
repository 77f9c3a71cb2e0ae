/* SPDX-License-Identifier: MIT */
/* Looking at the Sync word from outside the protocol: is it quiet, who wants to know, how many. */
#include "idle/idle.h"

#include "atomic.h"
#include "idle/sync.h"

void nap__sync_reset(struct nap_pool *pool)
{
	nap_store_relaxed(&pool->sync, SYNC_SHUTDOWN);
	nap_store_relaxed(&pool->idle_set, 0);
}

bool nap__sync_quiet(struct nap_pool *pool)
{
	return sync_quiet(nap_load_acquire(&pool->sync));	/* pairs with fall_idle() [S4] */
}

void nap__sync_watch(struct nap_pool *pool)
{
	/* Release: the watcher is enlisted; pairs with nap__sync_unwatch() [Q2]. */
	nap_fetch_or_release(&pool->sync, SYNC_WATCHED);
}

bool nap__sync_unwatch(struct nap_pool *pool)
{
	if (!(nap_load_relaxed(&pool->sync) & SYNC_WATCHED))
		return false;
	/* Pairs with nap__sync_watch(). [Q2] */
	return nap_fetch_and_acquire(&pool->sync, ~SYNC_WATCHED) & SYNC_WATCHED;
}

uint32_t nap__sync_spawned(struct nap_pool *pool)
{
	return sync_spawned(nap_load_relaxed(&pool->sync));
}

uint32_t nap__sync_idle(struct nap_pool *pool)
{
	return sync_idle(nap_load_relaxed(&pool->sync));
}
