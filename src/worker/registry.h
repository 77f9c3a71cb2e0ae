/* SPDX-License-Identifier: MIT */
/*
 * The registry: every worker record of a pool, as a lock-free stack that only grows until join.
 * Workers, guests and the joiner find all records through it.
 */
#ifndef NAP_REGISTRY_H
#define NAP_REGISTRY_H

#include <stddef.h>
#include <stdint.h>

#include "worker/worker.h"

/* Returns the youngest worker, or NULL; ->next leads to the older ones. */
static inline struct nap_worker *registry_first(struct nap_pool *pool)
{
	return nap_load_acquire(&pool->registry);	/* pairs with registry_push() [Y1] */
}

static inline void registry_push(struct nap_pool *pool, struct nap_worker *worker)
{
	struct nap_worker *first = nap_load_relaxed(&pool->registry);

	for (;;) {
		worker->next = first;
		/* The record is set up before this: pairs with registry_first(). [Y1] */
		if (nap_try_cmpxchg_release(&pool->registry, &first, worker))
			return;
	}
}

/* Returns the record at @index, which exists. */
static inline struct nap_worker *registry_at(struct nap_pool *pool, uint32_t index)
{
	return nap_load_relaxed(&pool->records) + index;
}

#endif /* NAP_REGISTRY_H */
