/* SPDX-License-Identifier: MIT */
/*
 * Whether a pool has nothing to do: the protocol's word says that every worker sleeps, and that no
 * notification is unanswered.
 *
 * The word alone does not suffice. Tasks for which no worker could be started may be queued, so the
 * queues are checked. A worker that waits inside a task counts as idle, because new work may call
 * it back; so each worker also counts its rests (worker->rest, odd: at rest). Guests are counted in
 * pool->guests.
 *
 * Rests and guests are read twice, with the word and the queues in between. If both readings are
 * equal, all rests are odd and no guest is inside, then no thread was inside a task when the word
 * was read.
 */

#include "arch/atomic.h"
#include "idle/idle.h"
#include "worker/async.h"
#include "worker/queued.h"
#include "worker/registry.h"
#include "worker/worker.h"

/* Adds up the rests and the guests; false: a thread is inside a task. */
static bool collect_rests(struct nap_pool *pool, uint64_t *sum)
{
	/* Sees what guests did: pairs with the release in nap__guest_end(). [H1] */
	uint64_t guests = nap_load_acquire(&pool->guests);

	if ((uint32_t)guests)
		return false;
	*sum = guests >> 32;
	for (struct nap_worker *w = registry_first(pool); w; w = w->next) {
		uint64_t rests;

		if (w->guest)
			continue;
		rests = nap_load_acquire(&w->rest);	/* pairs with the release in rest() [Q3] */
		/*
		 * A free record has no worker: the protocol's word counts a worker before the
		 * worker has a record.
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
	 * If this thread has found a queue empty, the worker that emptied the queue had counted
	 * itself as busy before that; pairs with rest() and nap__guest_begin(). [Q3]
	 */
	nap_fence_seq_cst();
	return collect_rests(pool, &after) && before == after;
}
