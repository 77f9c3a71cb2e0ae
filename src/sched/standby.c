/* SPDX-License-Identifier: MIT */
/*
 * Retiring, and coming back: src/sched/standby.h.
 *
 * Workers leave one at a time, and each waits for the end of the thread that left before it. So a
 * thread that starts a worker never waits for an ending thread, which may run destructors; and at
 * most one ended thread is not joined yet. The values of pool->leaving:
 *
 *	0		no worker has left
 *	index + 1	the worker that has left last; its record is GONE, or the joiner's
 *	LEAVING_BUSY	in addition: a worker is leaving
 */
#include "sched/standby.h"

#include "arch/atomic.h"
#include "os/os.h"
#include "sync/deadline.h"
#include "sync/event.h"
#include "sync/pause.h"
#include "thread/cpu_rank.h"
#include "worker/message.h"
#include "worker/phase.h"
#include "worker/registry.h"
#include "worker/source.h"

#define LEAVING_BUSY	((uint32_t)1 << 31)

/* How long a worker pauses when it finds another worker leaving. */
#define LEAVE_PAUSE_NS	1000000u

bool nap__is_surplus(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;

	/*
	 * A worker with a message is not surplus. Messages are answered in a search, and a surplus
	 * worker does not search. After the pool's end a surplus worker does not retire either, so
	 * it would neither answer nor leave.
	 */
	return !message_waits(worker) && nap__idle_spawned(pool) > nap_load_relaxed(&pool->limit);
}

/* Relaxed, because the thread that takes the record over uses only this word and the event. */
static bool record_moves(struct nap_worker *worker, enum nap__record from, enum nap__record to)
{
	return nap_cmpxchg_relaxed(&worker->record, from, to) == from;
}

/* Begins to leave. False: another worker leaves, or this one was called back or is to be joined. */
static bool begin_to_leave(struct nap_worker *worker)
{
	uint32_t *leaving = &worker->pool->leaving;
	uint32_t last = nap_load_relaxed(leaving);

	if (last & LEAVING_BUSY)
		return false;
	/* Sees what the worker that left last has done: pairs with nap__standby_leave(). [R6] */
	if (nap_cmpxchg_acquire(leaving, last, last | LEAVING_BUSY) != last)
		return false;
	if (record_moves(worker, RECORD_STANDBY, RECORD_LEAVING))
		return true;
	/*
	 * This is a read-modify-write, so the next acquire still pairs with the worker that left
	 * last. [R6]
	 */
	nap_fetch_and_relaxed(leaving, ~LEAVING_BUSY);
	return false;
}

/*
 * Waits until the worker is called back or, from the time @until on, can begin to leave; @until 0:
 * from now on.
 */
static enum nap__verdict wait_for_recall(struct nap_worker *worker, uint64_t until)
{
	const uint32_t reasons = EVENT_RECALL | EVENT_EXIT | EVENT_MESSAGE;
	struct nap_pool *pool = worker->pool;
	uint32_t woken;

	for (;;) {
		/* Checked before each sleep, because EVENT_MESSAGE may have been taken. */
		if (message_waits(worker))
			nap__answer_message(worker);
		if (pool_forked(pool))
			return NAP_EXIT;
		woken = until ? event_wait(&worker->event, reasons, until) : 0;
		if (woken & EVENT_RECALL)
			return NAP_PARK;
		if (woken & EVENT_EXIT)
			return NAP_EXIT;
		if (!woken && begin_to_leave(worker))
			return NAP_RETIRED;
		if (!woken)
			until = deadline_after(LEAVE_PAUSE_NS);
	}
}

static bool is_being_started(struct nap_worker *worker)
{
	return nap_load_relaxed(&worker->record) == RECORD_CLAIMED;
}

/*
 * Takes a CPU rank again, because a worker that was started in the meantime may have the old one.
 */
static void take_rank_again(struct nap_worker *worker)
{
	uint32_t before = worker->cpu_rank;

	cpu_rank_take(worker);
	if (worker->cpu_rank != before)
		nap__os_thread_take_cpus(worker, worker->cpu_rank);
}

enum nap__verdict nap__standby(struct nap_worker *worker, uint32_t keep, uint64_t ns)
{
	struct nap_pool *pool = worker->pool;
	enum nap__verdict verdict;

	/* The starter has not marked the record yet. */
	if (is_being_started(worker)) {
		/* Not noticed in tests when 1 for 0: the first pause is longer. */
		for (uint32_t looks = 0; is_being_started(worker) && !message_waits(worker);)
			pause_briefly(&looks);
		return NAP_SEARCH;
	}
	nap__idle_stop_search(worker, false);
	if (nap__idle_retire(pool, keep))
		return NAP_PARK;
	cpu_rank_give(worker);
	/* This fails if the worker is being joined already. */
	record_moves(worker, RECORD_STARTED, RECORD_STANDBY);
	nap__idle_retired(pool);
	nap_fence_seq_cst();	/* retire before checking; pairs with look_for_end() [N1] */
	nap__sources_hear(pool, NEWS_RESTED, NULL);
	verdict = wait_for_recall(worker, deadline_after(ns));
	if (verdict == NAP_PARK) {
		take_rank_again(worker);
		idle_ops(pool)->started(worker);
	}
	return verdict;
}

/* Waits for the end of a worker's thread, unless the joiner has taken the record. */
static void wait_for_end(struct nap_worker *worker)
{
	/* Sees the thread's handle: pairs with nap__spawn(). [J1] */
	if (nap_cmpxchg_acquire(&worker->record, RECORD_GONE, RECORD_CLAIMED) != RECORD_GONE)
		return;
	nap__os_thread_reap(worker);
	nap_store_release(&worker->record, RECORD_FREE);	/* pairs with take_record() [R3] */
}

void nap__standby_leave(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	uint32_t last = nap_load_relaxed(&pool->leaving) & ~LEAVING_BUSY;

	if (last)
		wait_for_end(registry_at(pool, last - 1));
	record_moves(worker, RECORD_LEAVING, RECORD_GONE);
	/* Publishes that this worker has left: pairs with begin_to_leave(). [R6] */
	nap_store_release(&pool->leaving, worker->index + 1);
}
