/* SPDX-License-Identifier: MIT */
/*
 * How much a pool has left to do: nap/end.h. A worker that uses its own ring writes no count for
 * this file: the ring's indices are counts. The owner counts tasks that overflow
 * (stats.overflowed); the scheduling thread counts tasks that it injects or schedules in a class;
 * the holder of the consumer lock counts tasks that it takes out of these queues. A worker counts
 * tasks that it puts into serial queues, and tasks that it begins in these (src/kit/serial.h). So
 * each count is in a cache line that its writer writes anyway.
 *
 * Typically tasks move during the count: a task that goes from one queue to another may be counted
 * twice or not at all. If nothing moves, the numbers are right.
 */
#include "life/pool.h"

#include <string.h>

#include "arch/atomic.h"
#include "sched/guest.h"
#include "worker/async.h"
#include "worker/queued.h"
#include "worker/registry.h"
#include "worker/source.h"

/*
 * Whether the worker is inside a task. (A worker that has ended is neither at rest nor in a task.)
 */
static bool is_inside_a_task(struct nap_worker *worker)
{
	return record_may_run(nap_load_relaxed(&worker->record)) &&
	       !(nap_load_relaxed(&worker->rest) & 1) && !nap_load_relaxed(&worker->home);
}

static void count_worker(struct nap_worker *worker, struct nap__remaining *left)
{
	if (worker->guest)
		return;
	left->serial += nap_load_relaxed(&worker->serial_waiting);
	left->rings += ring_count(&worker->ring);
	left->overflow += overflow_count(worker);
	left->workers += is_inside_a_task(worker);
}

static void note_most(struct nap_pool *pool, const struct nap__remaining *left)
{
	uint64_t queued = left_queued(left);
	uint64_t most = nap_load_relaxed(&pool->most_queued);
	uint32_t running = left->workers + left->guests;
	uint32_t most_running = nap_load_relaxed(&pool->most_running);

	/* Not noticed in tests when <= for <: an equal number is stored again, once. */
	while (most < queued && !nap_try_cmpxchg_relaxed(&pool->most_queued, &most, queued))
		;
	/* Not noticed in tests when <= for <: as above. */
	while (most_running < running &&
	       !nap_try_cmpxchg_relaxed(&pool->most_running, &most_running, running))
		;
}

void nap__remaining_count(struct nap_pool *pool, struct nap__remaining *left)
{
	const struct nap__async_ops *ops = async_ops(pool);
	const struct nap__source *source;

	memset(left, 0, sizeof(*left));
	left->injected = nap__injected_count(pool);
	left->guests = guests_inside(pool);
	left->serial = nap_load_relaxed(&pool->serial_waiting);
	left->starts = ops ? ops->starts(pool) : 0;
	for_each_source(source, pool)
		if (source->count)
			source->count(pool, left);
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		count_worker(w, left);
	/*
	 * One worker's count may be negative; the sum is negative only while the counts change. Not
	 * noticed in tests when >= for >: no queues are that long.
	 */
	if (left->serial > INT64_MAX)
		left->serial = 0;
	note_most(pool, left);
}
