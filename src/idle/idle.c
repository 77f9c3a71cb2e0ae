/* SPDX-License-Identifier: MIT */
/*
 * What all idle protocols have in common: starting a counted worker, retrying a failed start,
 * ending all workers, and notifying the threads that watch for the pool to fall quiet.
 */
#include "idle/idle.h"

#include <errno.h>

#include "arch/atomic.h"
#include "os/happens.h"
#include "sync/event.h"
#include "sync/waitlist.h"
#include "thread/spawn.h"
#include "worker/leaving.h"
#include "worker/nest.h"
#include "worker/phase.h"
#include "worker/queued.h"
#include "worker/registry.h"
#include "worker/self.h"

void nap__idle_shutdown(struct nap_pool *pool)
{
	idle_ops(pool)->shutdown(pool);
	/*
	 * Every worker in the registry is notified. No worker is missed: a worker that parks later
	 * found no shutdown in the word when it went idle. So its record was in the registry before
	 * the shutdown.
	 */
	for (struct nap_worker *worker = registry_first(pool); worker; worker = worker->next)
		event_set(&worker->event, EVENT_EXIT);
}

void nap__idle_spawn_failed(struct nap_pool *pool)
{
	idle_ops(pool)->spawn_failed(pool);
	/*
	 * Waiting threads outside may now be the only ones to run the published tasks. Count the
	 * worker out before checking for waiters; pairs with wait_visit(). [Q1]
	 */
	nap_fence_seq_cst();
	waitlist_wake(&pool->waiters, EVENT_POOL);
}

static void call_spawn_failed(struct nap_pool *pool, int err)
{
	struct nap__outer before;
	uintptr_t nesting;

	nothing_leaves();
	become(nap__self()->worker, &before);
	nesting = nesting_pauses();
	unseen_end();
	pool->config.spawn_failed(pool, -err, pool->config.arg);
	unseen_begin();
	nesting_back(nesting);
	back_to(&before);
}

int nap__idle_start(struct nap_pool *pool)
{
	int err;

	/* A callback may have forked, and have returned in the child. */
	if (pool_forked(pool))
		return -ESHUTDOWN;
	err = nap__spawn(pool, idle_ops(pool)->started);
	if (!err)
		return 0;
	nap__idle_spawn_failed(pool);
	if (pool->config.spawn_failed && err != -ESHUTDOWN && err != -ENOSYS)
		call_spawn_failed(pool, err);
	return err;
}

void nap__idle_retired(struct nap_pool *pool)
{
	/*
	 * Count the worker out before checking. A thread that publishes a task after this check
	 * finds one worker less in the word, and may start one [S1] [O1] [C1]; so does a thread
	 * that raises the limit [R4]. Also pairs with the watchers' fence in wait_visit(). [Q1]
	 */
	nap_fence_seq_cst();
	if (nap__work_queued(pool))
		nap__idle_notify(pool);
	if (nap__idle_quiet(pool))
		nap__idle_wake_watchers(pool);
}

void nap__idle_reset(struct nap_pool *pool)
{
	nap_store_relaxed(&pool->sync, 0);
	nap_store_relaxed(&pool->counters, 0);
	nap_store_relaxed(&pool->idle_set, 0);
	idle_ops(pool)->shutdown(pool);
}

void nap__idle_watch(struct nap_pool *pool)
{
	/* The watcher is enlisted before this: pairs with nap__idle_wake_watchers(). [Q2] */
	nap_fetch_or_release(&pool->sync, idle_ops(pool)->watched);
}

void nap__idle_wake_watchers(struct nap_pool *pool)
{
	uint32_t watched = idle_ops(pool)->watched;

	if (!(nap_load_relaxed(&pool->sync) & watched))
		return;
	/* Sees the watcher in the list: pairs with nap__idle_watch(). [Q2] */
	if (nap_fetch_and_acquire(&pool->sync, ~watched) & watched)
		waitlist_wake(&pool->waiters, EVENT_POOL);
}

enum nap__verdict nap__idle_at_rest(struct nap_worker *worker)
{
	/*
	 * Count the worker as at rest before checking for watchers; pairs with wait_visit(). [Q1]
	 */
	nap_fence_seq_cst();
	if (nap__idle_quiet(worker->pool))
		nap__idle_wake_watchers(worker->pool);
	return NAP_PARK;
}

bool nap__start_owed(struct nap_pool *pool)
{
	uint32_t spawned;

	if (!nap_load_relaxed(&pool->spawn_retry))
		return false;
	spawned = nap__idle_spawned(pool);
	return spawned && spawned < nap_load_relaxed(&pool->limit);
}

bool nap__retry_start(struct nap_pool *pool)
{
	bool owed = nap__start_owed(pool);

	if (owed && nap__work_queued(pool))
		nap__idle_notify(pool);
	return owed;
}
