/* SPDX-License-Identifier: MIT */
/* Checking every queue: src/worker/queued.h. Typically all queues are empty. */
#include "worker/queued.h"

#include "queue/deque.h"
#include "queue/kind.h"
#include "worker/async.h"
#include "worker/registry.h"
#include "worker/source.h"

/* Whether the pool's own queues hold tasks; a ring counts only if it has more than @tasks tasks. */
static bool is_queued(struct nap_pool *pool, uint32_t tasks)
{
	if (!inject_empty(&pool->inject))
		return true;
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		if (deque_has_public(&w->deque) || !overflow_empty(&w->overflow) ||
		    ring_count(&w->ring) > tasks)
			return true;
	return false;
}

bool nap__work_queued(struct nap_pool *pool)
{
	return is_queued(pool, 0) || nap__sources_queued(pool, true) ||
	       async_queued(pool);
}

bool nap__anything_queued(struct nap_pool *pool)
{
	return is_queued(pool, 0) || nap__sources_queued(pool, false);
}

bool nap__more_than_lone(struct nap_pool *pool)
{
	return is_queued(pool, 1) || nap__sources_queued(pool, true);
}

bool nap__others_needed(struct nap_worker *worker)
{
	return nap__work_queued(worker->pool) || nap__sources_reveal(worker);
}

uint64_t nap__injected_count(struct nap_pool *pool)
{
	/*
	 * @taken is read before @pushed, so the difference is negative only if a thread has pushed
	 * and has not counted its tasks yet.
	 */
	uint64_t taken = nap_load_relaxed(&pool->inject.taken);
	uint64_t pushed = nap_load_relaxed(&pool->inject.pushed);

	for (int i = 0; i < NAP__PRODUCERS; i++)
		pushed += nap_load_relaxed(&pool->producers[i].pushed);
	return left_between(pushed, taken);
}
