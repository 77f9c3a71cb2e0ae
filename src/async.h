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
#include "timer/timers.h"

struct nap_group;
struct nap_worker;

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
	/* The joiner, with nobody else inside: ends what is left of it; tasks go behind @left. */
	void (*end)(struct nap_pool *pool, struct nap_batch *left);
	/* Worker: timers whose time has come are seen to. False: there is none. */
	bool (*fire)(struct nap_worker *worker, struct nap__timers *timers);
	/* Worker about to park: until when it may sleep, @deadline or earlier; and when it wakes. */
	uint64_t (*sit)(struct nap_worker *worker, struct nap__timers *timers, uint64_t deadline);
	void (*rise)(struct nap_worker *worker, struct nap__timers *timers);
	/* The joiner, last of all; and the child of a fork. */
	void (*free)(struct nap_pool *pool);
};

struct nap__async {
	const struct nap__async_ops *ops;
	struct nap__timers timers;
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

/* Any thread inside: whether a worker is to sit for the timers, and none does. */
static inline bool async_unattended(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);

	return async && timers_unattended(&async->timers);
}

static inline bool async_fire(struct nap_pool *pool, struct nap_worker *worker)
{
	struct nap__async *async = pool_async(pool);

	return async && async->ops->fire(worker, &async->timers);
}

static inline uint64_t async_sit(struct nap_pool *pool, struct nap_worker *worker,
				 uint64_t deadline)
{
	struct nap__async *async = pool_async(pool);

	return async ? async->ops->sit(worker, &async->timers, deadline) : deadline;
}

/* Worker that sits. */
static inline void async_rise(struct nap_pool *pool, struct nap_worker *worker)
{
	struct nap__async *async = pool_async(pool);

	async->ops->rise(worker, &async->timers);
}

static inline void async_ending(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);

	if (async)
		async->ops->ending(pool);
}

#endif /* NAP_ASYNC_INTERNAL_H */
