/* SPDX-License-Identifier: MIT */
/* Looking at the Sync word from outside the protocol: is it quiet, who wants to know, how many. */
#include "idle/idle.h"

#include "atomic.h"
#include "event.h"
#include "idle/sync.h"
#include "waitlist.h"

void nap__idle_reset(struct nap_pool *pool)
{
	nap_store_relaxed(&pool->sync, SYNC_SHUTDOWN);
	nap_store_relaxed(&pool->idle_set, 0);
}

bool nap__idle_quiet(struct nap_pool *pool)
{
	return sync_quiet(nap_load_acquire(&pool->sync));	/* pairs with fall_idle() [S4] */
}

void nap__idle_watch(struct nap_pool *pool)
{
	/* Release: the watcher is enlisted; pairs with nap__idle_wake_watchers() [Q2]. */
	nap_fetch_or_release(&pool->sync, SYNC_WATCHED);
}

void nap__idle_wake_watchers(struct nap_pool *pool)
{
	if (!(nap_load_relaxed(&pool->sync) & SYNC_WATCHED))
		return;
	/* Pairs with nap__idle_watch(). [Q2] */
	if (nap_fetch_and_acquire(&pool->sync, ~SYNC_WATCHED) & SYNC_WATCHED)
		waitlist_wake(&pool->waiters, EVENT_POOL);
}

uint32_t nap__idle_spawned(struct nap_pool *pool)
{
	return sync_spawned(nap_load_relaxed(&pool->sync));
}

uint32_t nap__idle_count(struct nap_pool *pool)
{
	return sync_idle(nap_load_relaxed(&pool->sync));
}
