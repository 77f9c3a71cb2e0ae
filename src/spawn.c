/* SPDX-License-Identifier: MIT */
/*
 * Starting workers. The idle protocol has already counted the worker when nap__spawn() is called,
 * so at most `limit` calls are in progress or have succeeded at any time; each takes one record.
 *
 * Typically the memory is there, and the next record of it is set up, pushed into the registry, and
 * given to a new thread.
 */
#include "spawn.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "atomic.h"
#include "letter.h"
#include "os.h"
#include "registry.h"
#include "worker.h"

/* With workers at hand a failed start is not repeated sooner than this. */
#define SPAWN_PAUSE_NS 1000000u

size_t nap__records_size(struct nap_pool *pool)
{
	return (nap_load_relaxed(&pool->limit) + NAP_GUESTS) * sizeof(struct nap_worker);
}

/* Memory for all records a pool can have: reserved as a whole, touched one by one. */
static struct nap_worker *map_records(struct nap_pool *pool)
{
	size_t size = nap__records_size(pool);
	struct nap_worker *records = nap_load_acquire(&pool->records); /* pairs with below [M1] */
	struct nap_worker *mine;

	if (records)
		return records;
	mine = nap__os_map(size);
	if (!mine)
		return NULL;
	/* Pairs with the loads: the mapping comes before its address. [M1] */
	if (!nap_cmpxchg_release(&pool->records, NULL, mine))
		return mine;
	nap__os_unmap(mine, size);
	/* Somebody else's, which a failed compare-exchange does not acquire. [M1] */
	return nap_load_acquire(&pool->records);
}

void nap__record_init(struct nap_pool *pool, struct nap_worker *worker, uint32_t index, bool guest)
{
	worker->pool = pool;
	worker->index = index;
	worker->guest = guest;
	worker->record = RECORD_CLAIMED;
	worker->random = (uint64_t)index + 1;
	ring_init(&worker->ring);
	deque_init(&worker->deque, worker->frames, NAP_DEQUE_SIZE);
}

/* A record that was used and is free. */
static struct nap_worker *reuse_record(struct nap_pool *pool, bool guest)
{
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		/* Pairs with whoever gave it back. [R3] */
		if (w->guest == guest && nap_load_relaxed(&w->record) == RECORD_FREE &&
		    nap_cmpxchg_acquire(&w->record, RECORD_FREE, RECORD_CLAIMED) == RECORD_FREE)
			return w;
	return NULL;
}

/* One of @max records from @first on, of which *@nr are in the registry; NULL: none left. */
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

/* A record for a new worker: one whose start had failed, or a new one. */
static struct nap_worker *claim_record(struct nap_pool *pool)
{
	struct nap_worker *records = map_records(pool);
	uint32_t limit = nap_load_relaxed(&pool->limit);

	if (!records)
		return NULL;
	for (;;) {
		struct nap_worker *worker = reuse_record(pool, false);

		/* No more than `limit` of us: if all records exist, one is free or will be. */
		if (!worker)
			worker = new_record(pool, &pool->nr_records, records, limit, false);
		if (worker)
			return worker;
		nap_cpu_relax();
	}
}

struct nap_worker *nap__guest_record(struct nap_pool *pool)
{
	struct nap_worker *records = map_records(pool);
	struct nap_worker *worker;

	if (!records)
		return NULL;
	worker = reuse_record(pool, true);
	if (worker)
		return worker;
	return new_record(pool, &pool->nr_guests, &records[nap_load_relaxed(&pool->limit)],
			  NAP_GUESTS, true);
}

static void start_failed(struct nap_pool *pool, int err)
{
	nap_store_relaxed(&pool->spawn_errno, -err);
	nap_fetch_add_relaxed(&pool->spawn_failures, 1);
	nap_store_relaxed(&pool->spawn_retry, nap__os_now() + SPAWN_PAUSE_NS);
}

static void start_succeeded(struct nap_pool *pool, struct nap_worker *worker)
{
	if (nap_load_relaxed(&pool->spawn_retry))
		nap_store_relaxed(&pool->spawn_retry, 0);
	/* Pairs with the joiner: the thread's handle. [J1] */
	nap_store_release(&worker->record, RECORD_STARTED);
}

int nap__spawn(struct nap_pool *pool, void (*set_up)(struct nap_worker *worker))
{
	struct nap_worker *worker = claim_record(pool);
	int err = -ENOMEM;

	if (worker) {
		set_up(worker);
		letters_begin(worker);
		err = nap__os_thread_start(worker, pool->config.stack_size);
	}
	if (err && worker) {
		nap__letters_end(worker, false);
		nap_store_release(&worker->record, RECORD_FREE);	/* pairs with claim [R3] */
	}
	if (err)
		start_failed(pool, err);
	else
		start_succeeded(pool, worker);
	return err;
}

bool nap__spawn_allowed(struct nap_pool *pool, uint32_t spawned)
{
	uint64_t retry = nap_load_relaxed(&pool->spawn_retry);

	/* With no worker at all every chance is taken: nobody else would run the task. */
	return spawned == 0 || retry == 0 || nap__os_now() >= retry;
}
