/* SPDX-License-Identifier: MIT */
/*
 * Whether a pool has nothing to do: the idle word says that every worker sleeps and no notification
 * is out.
 *
 * Three things the word does not tell. What no worker could be started for is still queued, so the
 * queues are looked at. A worker that waits inside a task counts as idle, because new work may call
 * it back; so each worker also counts its rests (worker->rest, odd: at rest). And guests are
 * counted in pool->guests.
 *
 * Rests and guests are read twice, with the word and the queues in between. Equal readings, all odd
 * and no guest inside, mean that at the moment when the word was read nobody was inside a task.
 */

#include "arch/atomic.h"
#include "idle/idle.h"
#include "worker/async.h"
#include "worker/queued.h"
#include "worker/registry.h"
#include "worker/worker.h"

/* Everybody's count; false when somebody is inside a task. */
static bool collect_rests(struct nap_pool *pool, uint64_t *sum)
{
	/* Pairs with nap__guest_end(). [H1] */
	uint64_t guests = nap_load_acquire(&pool->guests);

	if ((uint32_t)guests)
		return false;
	*sum = guests >> 32;
	for (struct nap_worker *w = registry_first(pool); w; w = w->next) {
		uint64_t rests;

		if (w->guest)
			continue;
		rests = nap_load_acquire(&w->rest);	/* pairs with rest() [Q3] */
		/*
		 * A free record: a worker that begins on it is counted in the protocol's word
		 * before.
		 */
		if (!(rests & 1) && nap_load_relaxed(&w->record) != RECORD_FREE)
			return false;
		*sum += rests;
	}
	return true;
}

bool nap__pool_at_rest(struct nap_pool *pool)
{
	uint64_t before, after;

	if (!collect_rests(pool, &before) || !nap__idle_quiet(pool) || nap__anything_queued(pool) ||
	    async_waits(pool))
		return false;
	/*
	 * A worker that emptied a queue that was found empty had counted itself as busy before it
	 * touched that queue; pairs with rest() and nap__guest_begin(). [Q3]
	 */
	nap_fence_seq_cst();
	return collect_rests(pool, &after) && before == after;
}
