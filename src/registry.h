/* SPDX-License-Identifier: MIT */
/*
 * The registry: every worker record of a pool, as a lock-free stack that only grows until join.
 * Workers, helpers and the joiner find each other through it.
 */
#ifndef NAP_REGISTRY_H
#define NAP_REGISTRY_H

#include <stddef.h>
#include <stdint.h>

#include "worker.h"

/* The youngest worker, or NULL; follow ->next to the older ones. */
static inline struct nap_worker *registry_first(struct nap_pool *pool)
{
	return nap_load_acquire(&pool->registry);	/* pairs with registry_push() [Y1] */
}

static inline void registry_push(struct nap_pool *pool, struct nap_worker *worker)
{
	struct nap_worker *first = nap_load_relaxed(&pool->registry);

	for (;;) {
		worker->next = first;
		/* Pairs with registry_first(): the record as it was set up. [Y1] */
		if (nap_try_cmpxchg_release(&pool->registry, &first, worker))
			return;
	}
}

/* The record at @index, which exists. */
static inline struct nap_worker *registry_at(struct nap_pool *pool, uint32_t index)
{
	return nap_load_relaxed(&pool->records) + index;
}

/* Start one more worker, which the idle protocol has counted; on failure it is told. src/spawn.c */
int nap__spawn(struct nap_pool *pool);

/*
 * Any thread: whether a start has failed, beside workers that are there, and none has succeeded
 * since. Work that is left, or comes before the next try is allowed, may wait for that try.
 */
bool nap__start_owed(struct nap_pool *pool);

/* Any thread inside: as above; then it tries again, if there is work. */
bool nap__retry_start(struct nap_pool *pool);

/* A record's first use; @worker is zeroed memory, or free. */
void nap__record_init(struct nap_pool *pool, struct nap_worker *worker, uint32_t index, bool guest);

/* A free record for a guest, which is RECORD_STARTING; NULL: all are taken, or no memory. */
struct nap_worker *nap__guest_record(struct nap_pool *pool);

/* Bytes that the records take, guests' included. */
size_t nap__records_size(struct nap_pool *pool);

/* Whether a start may be tried now (not shortly after one that failed). */
bool nap__spawn_allowed(struct nap_pool *pool, uint32_t spawned);

#endif /* NAP_REGISTRY_H */
