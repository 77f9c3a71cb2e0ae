/* SPDX-License-Identifier: MIT */
/*
 * What the rest of the pool sees of fibers, timers and files: one pointer, pool->async, NULL until
 * the first of them, and behind it a table of functions. So a program that has none of them is not
 * linked with any of it.
 */
#ifndef NAP_ASYNC_INTERNAL_H
#define NAP_ASYNC_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "atomic.h"

struct nap_group;

struct nap__async_ops {
	/* Any thread inside: whether something is to go on that is in no queue. */
	bool (*waits)(struct nap_pool *pool);
	/*
	 * nap_group_wait_for() where the calling thread is in a fiber: true, and *@err is what it
	 * returns. False: the fiber waits as a thread.
	 */
	bool (*group_wait)(struct nap_group *group, uint64_t timeout_ns, int *err);
	/* Who stops the pool, and the joiner when all workers have left: those of others look again. */
	void (*ending)(struct nap_pool *pool);
	/* The joiner, behind a stop, with nobody else inside: ends what is left of it. */
	void (*stop)(struct nap_pool *pool, struct nap_batch *left);
	/* The joiner, last of all; and the child of a fork. */
	void (*free)(struct nap_pool *pool);
};

struct nap__async {
	const struct nap__async_ops *ops;
};

static inline struct nap__async *pool_async(struct nap_pool *pool)
{
	return nap_load_acquire(&pool->async);	/* pairs with nap__async_of() [A1] */
}

/* See nap__async_ops. */
static inline bool async_waits(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);

	return async && async->ops->waits(pool);
}

static inline void async_ending(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);

	if (async)
		async->ops->ending(pool);
}

#endif /* NAP_ASYNC_INTERNAL_H */
