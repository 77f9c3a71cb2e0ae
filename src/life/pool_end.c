/* SPDX-License-Identifier: MIT */
/*
 * The steps of a pool's end, for the caller that pool_join.c lets in:
 *
 *	1. close the intake and wait until no call is in it: no more work comes in
 *	2. in a drain, wait until the pool is quiet (its workers run what remains)
 *	3. notify the idle protocol, which ends every worker
 *	4. join the threads: after that no worker touches the pool, and all stacks are released
 *	5. close the visits, end the waits of the threads inside, and wait until none is inside; a
 *	   visitor may have been starting a worker, so join once more
 *	6. collect what a stop has left in the queues, keep the totals, give the records back
 *
 * If the joiner's time is over, or it is cancelled in step 4 or 5, the next joiner does the rest.
 * That joiner begins with step 1, or, once the pool was quiet, with step 3: workers that end no
 * longer count as at rest. In step 6 the joiner checks its deadline between two rounds of the
 * fibers that a stop has interrupted (src/async/fiber/stop.c).
 *
 * There is no count of ending workers: a last worker that reported its end would touch the pool
 * after the joiner has been notified (mitchellh/libxev#113). Only the system's own join shows that
 * a thread has ended.
 */
#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "idle/idle.h"
#include "life/pool.h"
#include "os/happens.h"
#include "os/os.h"
#include "queue/kind.h"
#include "sched/lend.h"
#include "sync/debug.h"
#include "sync/event.h"
#include "sync/gate.h"
#include "sync/pause.h"
#include "sync/waitlist.h"
#include "thread/spawn.h"
#include "wait/wait.h"
#include "worker/async.h"
#include "worker/phase.h"
#include "worker/pools.h"
#include "worker/registry.h"
#include "worker/producer.h"
#include "worker/source.h"
#include "worker/measure.h"
#include "worker/worker.h"

/* Makes the joiner the only thread that joins the worker's thread. False: there is no thread. */
static bool begin_joining(struct nap_worker *worker)
{
	/* Sees the thread's handle: pairs with nap__spawn(). [J1] */
	uint32_t record = nap_load_acquire(&worker->record);

	while (record_has_thread(record) && record != RECORD_JOINING) {
		if (nap_try_cmpxchg_acquire(&worker->record, &record, RECORD_JOINING))
			return true;
	}
	return record == RECORD_JOINING;
}

/* Joins until the registry holds no thread to be joined, or until the @deadline. */
static int join_threads(struct nap_pool *pool, uint64_t deadline)
{
	struct nap_worker *worker = registry_first(pool);

	while (worker) {
		if (!begin_joining(worker)) {
			worker = worker->next;
			continue;
		}
		if (nap__os_thread_join(worker, deadline))
			return -ETIMEDOUT;
		/*
		 * Publishes what the worker's tasks did: pairs with worker_has_gone() in
		 * src/kit/ends.c. [N2]
		 */
		nap_store_release(&worker->record, RECORD_JOINED);
		/*
		 * The worker may have started other workers. Not noticed in tests when dropped:
		 * these are joined by the second call of this function.
		 */
		worker = registry_first(pool);
	}
	return 0;
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
	nap_store_relaxed(&pool->totals.dozed, sum.dozed);
	nap_store_relaxed(&pool->totals.spun, sum.spun);
	nap_store_relaxed(&pool->totals.yielded, sum.yielded);
	nap_store_relaxed(&pool->totals.searched, sum.searched);
	nap_store_relaxed(&pool->totals.asked, sum.asked);
	nap_store_relaxed(&pool->totals.canceled, sum.canceled);
	nap_store_relaxed(&pool->totals.timed_out, sum.timed_out);
	nap_store_relaxed(&pool->totals.most_queued, sum.most_queued);
	nap_store_relaxed(&pool->totals.fibers_spawned, sum.fibers_spawned);
	nap_store_relaxed(&pool->totals.fibers_ended, sum.fibers_ended);
}

static void free_workers(struct nap_pool *pool)
{
	struct nap_worker *records = nap_load_relaxed(&pool->records);

	/*
	 * Atomic, because a thread that begins a loop from outside may read pool->locals before it
	 * knows that the pool has ended.
	 */
	nap_store_relaxed(&pool->locals, NULL);
	nap__idle_reset(pool);
	nap_store_relaxed(&pool->registry, NULL);
	nap_store_relaxed(&pool->records, NULL);
	nap_store_relaxed(&pool->nr_records, 0);
	nap_store_relaxed(&pool->nr_guests, 0);
	nap_store_relaxed(&pool->nr_spares, 0);
	if (records)
		nap__os_unmap(records, nap__records_size(pool));
}

/*
 * Takes a task from any queue. @more is ignored, because there is no worker to be notified of
 * remaining tasks.
 */
static struct nap_task *take(struct nap_pool *pool)
{
	bool more = false;	/* Not noticed in tests when true for false: it is not read. */
	struct nap_task *task = inject_take(&pool->inject, &more);

	if (!task)
		task = nap__sources_left(pool);
	for (struct nap_worker *w = registry_first(pool); w && !task; w = w->next) {
		task = overflow_take(&w->overflow, &more);
		if (!task)
			task = ring_steal_one(&w->ring);
	}
	return task;
}

/* Step 6: moves every queued task to @left, when no other thread is inside. */
static void collect(struct nap_pool *pool, struct nap_batch *left)
{
	struct nap_task *task;

	while ((task = take(pool))) {
		debug_unmark(task);
		is_received(task, sizeof(*task));
		nap_batch_push(left, task);
	}
}

/*
 * Ends fibers that a stop has interrupted, armed timers, which are in no queue, and the data of
 * nap/local.h. The program's functions that end these data may still use the handles of fibers.
 */
static int end_async(struct nap_pool *pool, uint64_t deadline)
{
	const struct nap__async_ops *ops = async_ops(pool);
	int err = ops ? ops->end(pool, &pool->left, deadline) : 0;

	if (err)
		return err;
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		nap__locals_end(w);
	if (pool_forked(pool))	/* by one of these functions, which has returned in the child */
		return -ESHUTDOWN;
	if (ops)
		ops->free(pool);
	return 0;
}

int nap__end_quiet(struct nap_pool *pool, uint64_t deadline)
{
	int err;

	nap__shutdown(pool, NAP_DRAIN);
	permits_lend();
	err = gate_wait_empty(&pool->intake, deadline);
	if (!err)
		err = nap__producers_wait_empty(pool, deadline);
	permits_back();
	if (!err)
		err = nap__quiesce(pool, deadline);
	return err == -ECANCELED ? 0 : err;
}

/* Steps 3 to 5, in which this thread runs no function of the program. */
static int send_all_home(struct nap_pool *pool, uint64_t deadline)
{
	int err;

	nap__idle_shutdown(pool);
	err = join_threads(pool, deadline);
	if (err)
		return err;
	keep_totals(pool);	/* for readers that the gate refuses from here on */
	gate_close(&pool->visits);
	nap_fence_seq_cst();	/* close the gate before checking; pairs with wait_visit() [Q1] */
	waitlist_wake(&pool->waiters, EVENT_POOL);
	async_ending(pool);
	err = gate_wait_empty(&pool->visits, deadline);
	if (!err)
		err = join_threads(pool, deadline);
	return err;
}

/*
 * Notifies the listed struct nap_end; a thread that comes later finds that it is too late to list
 * one.
 */
static void tell_of_end(struct nap_pool *pool)
{
	/* Publishes what the tasks did: pairs with nap__ends_add(). [N3] */
	if (nap_cmpxchg_release(&pool->ends, 0, ENDS_TOLD) > ENDS_TOLD)
		nap__sources[KIND_ENDS]->hear(pool, NEWS_OVER, NULL);
}

/* Takes the pool out of the table of pools, when no dump reads the pool any longer. */
static void leave_pools(struct nap_pool *pool)
{
#ifndef NAP_NO_TRACE
	/* Not noticed in tests when 1 for 0: the first pause is longer. */
	uint32_t pauses = 0;

	while (!pools_leave(pool))
		pause_briefly(&pauses);	/* Not noticed in tests when dropped: it saves looks. */
#else
	(void)pool;
#endif
}

int nap__end_pool(struct nap_pool *pool, uint64_t deadline)
{
	int err;

	if (!pool_canceled(pool))
		tell_of_end(pool);
	permits_lend();
	err = send_all_home(pool, deadline);
	permits_back();
	if (err)
		return err;
	tell_of_end(pool);
	collect(pool, &pool->left);
	err = end_async(pool, deadline);
	if (err)
		return err;
	keep_totals(pool);
	watch_end(pool);
	leave_pools(pool);
	free_workers(pool);
	phase_raise(pool, pool_phase(pool) == PHASE_STOP ? PHASE_JOINED_STOP : PHASE_JOINED);
	return 0;
}
