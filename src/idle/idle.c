// SPDX-License-Identifier: MIT
/* What all idle protocols do alike. */
#include "idle/idle.h"

#include "atomic.h"
#include "event.h"
#include "registry.h"
#include "waitlist.h"

void nap__idle_shutdown(struct nap_pool *pool)
{
	idle_ops(pool)->shutdown(pool);
	/*
	 * Unconditionally and one by one. Whoever parks later found the word without the shutdown
	 * when it went idle, so its record is in the registry that is read here.
	 */
	for (struct nap_worker *worker = registry_first(pool); worker; worker = worker->next)
		event_set(&worker->event, EVENT_EXIT);
}

void nap__idle_spawn_failed(struct nap_pool *pool)
{
	idle_ops(pool)->spawn_failed(pool);
	/*
	 * Those who wait from outside may now be the only ones who can run what was published.
	 * Uncounted before looking; pairs with their enlisting. [Q1]
	 */
	nap_fence_seq_cst();
	waitlist_wake(&pool->waiters, EVENT_POOL);
}

void nap__idle_wake_watchers(struct nap_pool *pool)
{
	if (idle_ops(pool)->unwatch(pool))
		waitlist_wake(&pool->waiters, EVENT_POOL);
}
