/* SPDX-License-Identifier: MIT */
/*
 * Starting workers. The idle protocol has already counted the worker when nap__spawn() is called,
 * so at most `limit` calls are in progress or have succeeded at any time; each takes one record.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "atomic.h"
#include "idle/idle.h"
#include "os.h"
#include "phase.h"
#include "registry.h"
#include "worker.h"

/* With workers at hand a failed start is not repeated sooner than this. */
#define SPAWN_PAUSE_NS 1000000u

/* Memory for all records a pool can have: reserved as a whole, touched one by one. */
static struct nap_worker *map_records(struct nap_pool *pool)
{
	size_t size = nap_load_relaxed(&pool->limit) * sizeof(struct nap_worker);
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

static void record_init(struct nap_pool *pool, struct nap_worker *worker, uint32_t index)
{
	worker->pool = pool;
	worker->index = index;
	worker->record = RECORD_STARTING;
	ring_init(&worker->ring);
	deque_init(&worker->deque, worker->slots);
}

/* A record for a new worker: one whose start had failed, or a new one. */
static struct nap_worker *claim_record(struct nap_pool *pool)
{
	struct nap_worker *records = map_records(pool);
	uint32_t limit = nap_load_relaxed(&pool->limit);

	if (!records)
		return NULL;
	for (;;) {
		uint32_t nr = nap_load_relaxed(&pool->nr_records);

		for (struct nap_worker *w = registry_first(pool); w; w = w->next)
			/* Pairs with nap__spawn() giving it back. [R3] */
			if (nap_load_relaxed(&w->record) == RECORD_FREE &&
			    nap_cmpxchg_acquire(&w->record, RECORD_FREE, RECORD_STARTING) ==
			    RECORD_FREE)
				return w;
		/*
		 * No more than `limit` of us: if all records exist, one of them is free or will be.
		 */
		if (nr < limit && nap_cmpxchg_relaxed(&pool->nr_records, nr, nr + 1) == nr) {
			record_init(pool, &records[nr], nr);
			registry_push(pool, &records[nr]);
			return &records[nr];
		}
		nap_cpu_relax();
	}
}

static void spawn_failed(struct nap_pool *pool, int err)
{
	nap_store_relaxed(&pool->spawn_errno, -err);
	nap_fetch_add_relaxed(&pool->spawn_failures, 1);
	nap_store_relaxed(&pool->spawn_retry, nap__os_now() + SPAWN_PAUSE_NS);
	nap__idle_spawn_failed(pool);
	if (pool->config.spawn_failed)
		pool->config.spawn_failed(pool, -err, pool->config.arg);
}

int nap__spawn(struct nap_pool *pool)
{
	const char *name = pool->config.name ? pool->config.name : "nap";
	struct nap_worker *worker = claim_record(pool);
	int err = worker ? nap__os_thread_start(worker, pool->config.stack_size, name) : -ENOMEM;

	if (err && worker)
		nap_store_release(&worker->record, RECORD_FREE);	/* pairs with claim [R3] */
	if (err)
		spawn_failed(pool, err);
	else
		/* Pairs with the joiner: the thread's handle. [J1] */
		nap_store_release(&worker->record, RECORD_STARTED);
	return err;
}

bool nap__spawn_allowed(struct nap_pool *pool, uint32_t spawned)
{
	uint64_t retry = nap_load_relaxed(&pool->spawn_retry);

	/* With no worker at all every chance is taken: nobody else would run the task. */
	return spawned == 0 || retry == 0 || nap__os_now() >= retry;
}
