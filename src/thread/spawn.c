/* SPDX-License-Identifier: MIT */
/*
 * Starting workers. The idle protocol counts the worker before it calls nap__spawn(). So at most
 * pool_capacity() calls are in progress or have succeeded at any time, not counting workers that
 * have retired since; each takes one record.
 *
 * Typically the memory is mapped already; its next record is set up, pushed into the registry, and
 * given to a new thread.
 */
#include "thread/spawn.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "arch/atomic.h"
#include "os/os.h"
#include "sync/event.h"
#include "sync/pause.h"
#include "thread/cpu_rank.h"
#include "worker/async.h"
#include "worker/capacity.h"
#include "worker/message.h"
#include "worker/registry.h"
#include "worker/tick.h"
#include "worker/pools.h"
#include "worker/runs.h"
#include "worker/worker.h"

/* The time, in ns, before a failed start is repeated while there are workers. */
#define SPAWN_PAUSE_NS 1000000u

size_t nap__records_size(struct nap_pool *pool)
{
	return (pool_capacity(pool) + NAP_GUESTS + SPARE_RECORDS) * sizeof(struct nap_worker);
}

/*
 * Maps memory for all records a pool can have: reserved as a whole, touched one by one. Not
 * inlined, because records_of() is on the way of each call from outside.
 */
static __attribute__((noinline)) struct nap_worker *map_records(struct nap_pool *pool)
{
	size_t size = nap__records_size(pool);
	struct nap_worker *mine = nap__os_map(size);

	if (!mine)
		return NULL;
	/* The mapping is set up before this: pairs with the loads of pool->records. [M1] */
	if (!nap_cmpxchg_release(&pool->records, NULL, mine)) {
#ifndef NAP_NO_TRACE
		pools_enter(pool);
#endif
		return mine;
	}
	nap__os_unmap(mine, size);
	/*
	 * Another thread was first; its mapping is loaded again, because a failed compare-exchange
	 * orders nothing. [M1]
	 */
	return nap_load_acquire(&pool->records);
}

/* Returns the records, which are mapped if they were not; NULL: no memory. */
static struct nap_worker *records_of(struct nap_pool *pool)
{
	/* pairs with the release in map_records() [M1] */
	struct nap_worker *records = nap_load_acquire(&pool->records);

	return records ? records : map_records(pool);
}

void nap__record_init(struct nap_pool *pool, struct nap_worker *worker, uint32_t index, bool guest)
{
	worker->pool = pool;
	worker->index = index;
	worker->guest = guest;
	worker->record = RECORD_CLAIMED;
	worker->random = (uint64_t)index + 1;
	worker->tick = 0;
	if (pool_async(pool))
		restart_parts(worker);
	ring_init(&worker->ring);
	deque_init(&worker->deque, worker->frames, NAP_DEQUE_SIZE);
}

/* Takes a record whose state is @from, and makes the state @to. */
static struct nap_worker *take_record(struct nap_pool *pool, bool guest, enum nap__record from,
				      enum nap__record to)
{
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		/*
		 * Sees what the last user of the record did: pairs with the release to RECORD_FREE.
		 * [R3]
		 */
		if (w->guest == guest && nap_load_relaxed(&w->record) == from &&
		    nap_cmpxchg_acquire(&w->record, from, to) == from)
			return w;
	return NULL;
}

static struct nap_worker *reuse_record(struct nap_pool *pool, bool guest)
{
	return take_record(pool, guest, RECORD_FREE, RECORD_CLAIMED);
}

/* Calls back a worker that has retired: src/sched/standby.h. */
static struct nap_worker *recall(struct nap_pool *pool)
{
	struct nap_worker *worker = take_record(pool, false, RECORD_STANDBY, RECORD_STARTED);

	if (worker)
		event_set(&worker->event, EVENT_RECALL);
	return worker;
}

/*
 * Takes a new one of the @max records from @first on, of which *@nr are registered; NULL: none is
 * left.
 */
static struct nap_worker *new_record(struct nap_pool *pool, uint32_t *nr, struct nap_worker *first,
				     uint32_t max, bool guest)
{
	struct nap_worker *records = nap_load_relaxed(&pool->records);
	uint32_t n = nap_load_relaxed(nr);

	while (n < max) {
		if (nap_try_cmpxchg_relaxed(nr, &n, n + 1)) {
			nap__record_init(pool, &first[n], (uint32_t)(&first[n] - records), guest);
			registry_push(pool, &first[n]);
			return &first[n];
		}
	}
	return NULL;
}

/* Takes a record that no worker has had; NULL: none is left. */
static struct nap_worker *unused_record(struct nap_pool *pool)
{
	struct nap_worker *records = nap_load_relaxed(&pool->records);
	uint32_t capacity = pool_capacity(pool);
	struct nap_worker *worker = new_record(pool, &pool->nr_records, records, capacity, false);

	/*
	 * The records behind the guests' are for workers that replace one that leaves or has left.
	 */
	if (!worker && nap_load_relaxed(&pool->leaving))
		worker = new_record(pool, &pool->nr_spares, &records[capacity + NAP_GUESTS],
				    SPARE_RECORDS, false);
	return worker;
}

/* Whether the joiner has begun to take the records, also those of retired workers. */
static bool is_joined(struct nap_pool *pool)
{
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		if (!w->guest && nap_load_relaxed(&w->record) >= RECORD_JOINING)
			return true;
	return false;
}

/*
 * Takes a record for one more worker; NULL with *@err. *@has_thread: the record has a thread, which
 * was called back, and may be doing anything.
 */
static struct nap_worker *claim_record(struct nap_pool *pool, bool *has_thread, int *err)
{
	uint32_t looks = 0;

	*err = -ENOMEM;
	if (!records_of(pool))
		return NULL;
	*err = -ESHUTDOWN;
	for (;;) {
		struct nap_worker *worker = recall(pool);

		*has_thread = worker;
		if (!worker)
			worker = reuse_record(pool, false);
		/*
		 * There are no more starters than there may be workers. So if no record is found, a
		 * worker that was just counted out will free one soon; or the pool has ended, and
		 * no record is needed.
		 */
		if (!worker)
			worker = unused_record(pool);
		if (worker || is_joined(pool))
			return worker;
		pause_briefly(&looks);
	}
}

struct nap_worker *nap__guest_record(struct nap_pool *pool)
{
	struct nap_worker *records = records_of(pool);
	struct nap_worker *worker;

	if (!records)
		return NULL;
	worker = reuse_record(pool, true);
	if (worker)
		return worker;
	return new_record(pool, &pool->nr_guests, &records[pool_capacity(pool)],
			  NAP_GUESTS, true);
}

static void start_failed(struct nap_pool *pool, int err)
{
	nap_store_relaxed(&pool->spawn_errno, -err);
	nap_fetch_add_relaxed(&pool->spawn_failures, 1);
	nap_store_relaxed(&pool->spawn_retry, nap__os_now() + SPAWN_PAUSE_NS);
}

static int start_thread(struct nap_worker *worker, void (*set_up)(struct nap_worker *worker))
{
	int err;

	set_up(worker);
	/*
	 * worker->rest is odd while a worker is at rest (src/idle/at_rest.c), as the record's last
	 * worker was when it retired. A thread that begins is not at rest, so the count is made
	 * even.
	 */
	nap_store_relaxed(&worker->rest, worker->rest + (worker->rest & 1));
	cpu_rank_take(worker);
	messages_begin(worker);
	nap_store_relaxed(&worker->home, 0);
	runs_now(worker, 0);	/* the record's last worker may have left its last function there */
	err = nap__os_thread_start(worker, worker->pool->config.stack_size);
	if (err) {
		cpu_rank_give(worker);
		nap__messages_end(worker, false);
		/* pairs with take_record() [R3] */
		nap_store_release(&worker->record, RECORD_FREE);
	} else {
		/* Publishes the thread's handle: pairs with the joiner. [J1] */
		nap_store_release(&worker->record, RECORD_STARTED);
	}
	return err;
}

int nap__spawn(struct nap_pool *pool, void (*set_up)(struct nap_worker *worker))
{
	bool has_thread = false;
	struct nap_worker *worker;
	int err;

	/* For the idle protocol this is a failed start, so threads that wait run the tasks. */
	if (pool->config.flags & NAP_NO_WORKERS)
		return -ENOSYS;
	worker = claim_record(pool, &has_thread, &err);
	if (worker)
		err = has_thread ? 0 : start_thread(worker, set_up);
	/* If the pool has ended, this is no failed start. */
	if (err == -ESHUTDOWN)
		return err;
	if (err)
		start_failed(pool, err);
	else if (nap_load_relaxed(&pool->spawn_retry))
		nap_store_relaxed(&pool->spawn_retry, 0);
	return err;
}

bool nap__spawn_allowed(struct nap_pool *pool, uint32_t spawned)
{
	uint64_t retry = nap_load_relaxed(&pool->spawn_retry);

	/*
	 * If there is no worker, every chance is taken, because no other thread would run the task.
	 */
	return spawned == 0 || retry == 0 || nap__os_now() >= retry;
}
