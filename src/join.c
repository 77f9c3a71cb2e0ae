/* SPDX-License-Identifier: MIT */
/*
 * The end of a pool. One caller does it, in this order:
 *
 *	1. close the intake and wait until nobody is in it: nothing more comes from outside
 *	2. in a drain, wait until the pool is quiet (its workers are there to run what is left)
 *	3. tell the idle protocol, which sends every worker home
 *	4. join the threads: after that no worker touches the pool, and its stack is released
 *	5. close the visits, send those who wait away, and wait until nobody is in it; a visitor may
 *	   have been starting a worker, so join once more
 *	6. collect what a stop has left in the queues, keep the totals, give the records back
 *
 * Nobody counts workers down: a last worker that reports its leaving would touch the pool after the
 * joiner has been told (mitchellh/libxev#113). The system's own join is the only word that counts.
 */
#include <errno.h>

#include <nap/nap.h>

#include "atomic.h"
#include "gate.h"
#include "idle/idle.h"
#include "os.h"
#include "phase.h"
#include "pool.h"
#include "registry.h"
#include "waitlist.h"
#include "worker.h"

/* pool->join */
enum { JOIN_NONE, JOIN_BUSY, JOIN_DONE };

/* Until the registry holds no thread that is to be joined. */
static void join_threads(struct nap_pool *pool)
{
	struct nap_worker *worker = registry_first(pool);

	while (worker) {
		/* Pairs with nap__spawn(): the handle. [J1] */
		if (nap_load_acquire(&worker->record) != RECORD_STARTED) {
			worker = worker->next;
			continue;
		}
		nap__os_thread_join(worker);
		nap_store_relaxed(&worker->record, RECORD_JOINED);
		/* It may have started others meanwhile. */
		worker = registry_first(pool);
	}
}

static void keep_totals(struct nap_pool *pool)
{
	struct nap_worker_stats sum;

	nap__stats_sum(pool, &sum);
	nap_store_relaxed(&pool->totals.run, sum.run);
	nap_store_relaxed(&pool->totals.stolen, sum.stolen);
	nap_store_relaxed(&pool->totals.overflowed, sum.overflowed);
	nap_store_relaxed(&pool->totals.parked, sum.parked);
	nap_store_relaxed(&pool->totals.woken_idle, sum.woken_idle);
	nap_store_relaxed(&pool->totals.jobs_stolen, sum.jobs_stolen);
}

static void free_workers(struct nap_pool *pool)
{
	struct nap_worker *records = nap_load_relaxed(&pool->records);

	nap__idle_reset(pool);
	nap_store_relaxed(&pool->registry, NULL);
	nap_store_relaxed(&pool->records, NULL);
	nap_store_relaxed(&pool->nr_records, 0);
	nap_store_relaxed(&pool->nr_guests, 0);
	if (records)
		nap__os_unmap(records, nap__records_size(pool));
}

static void end(struct nap_pool *pool)
{
	nap_pool_shutdown(pool, NAP_DRAIN);
	gate_wait_empty(&pool->intake);
	/* Does not wait when the pool is being stopped. */
	if (nap__quiesce(pool, NAP_FOREVER) == -ESHUTDOWN)
		return;
	nap__idle_shutdown(pool);
	join_threads(pool);
	keep_totals(pool);	/* for those whom the gate is about to refuse */
	gate_close(&pool->visits);
	nap_fence_seq_cst();	/* close before looking; pairs with those who enlist [Q1] */
	waitlist_wake(&pool->waiters, EVENT_POOL);
	gate_wait_empty(&pool->visits);
	join_threads(pool);
	nap__collect(pool, &pool->left);
	keep_totals(pool);
	free_workers(pool);
	phase_raise(pool, pool_phase(pool) == PHASE_STOP ? PHASE_JOINED_STOP : PHASE_JOINED);
}

/* Become the one who ends the pool or empties what was left; JOIN_BUSY keeps others waiting. */
static uint32_t begin_join(struct nap_pool *pool)
{
	for (;;) {
		uint32_t join = nap_load_relaxed(&pool->join);

		if (join == JOIN_BUSY)
			nap__futex_wait(&pool->join, JOIN_BUSY, UINT64_MAX);
		/* Pairs with finish_join(): the end, or the batch that is left. [J2] */
		else if (nap_cmpxchg_acquire(&pool->join, join, JOIN_BUSY) == join)
			return join;
	}
}

static void finish_join(struct nap_pool *pool)
{
	nap_store_release(&pool->join, JOIN_DONE);	/* pairs with begin_join() [J2] */
	nap__futex_wake(&pool->join, UINT32_MAX >> 1);
}

int nap_pool_join(struct nap_pool *pool, struct nap_batch *left)
{
	uint32_t join;

	if (left)
		*left = (struct nap_batch)NAP_BATCH_INIT;
	if (!pool)
		return -EINVAL;
	if (pool_is_own_thread(pool))
		return -EDEADLK;
	if (pool_forked(pool))
		return -ESHUTDOWN;
	join = begin_join(pool);
	if (join == JOIN_NONE)
		end(pool);
	if (pool_forked(pool))	/* by a task that was run there; this is the child */
		return -ESHUTDOWN;
	if (left)
		nap_batch_concat(left, &pool->left);
	finish_join(pool);
	return join == JOIN_NONE ? 0 : -EALREADY;
}
