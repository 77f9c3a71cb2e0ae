/* SPDX-License-Identifier: MIT */
/*
 * What the rest of the pool sees of fibers, timers and files: one pointer, pool->async, NULL until
 * the first of them, and then a table of functions. So a program that has none of them is not
 * linked with any of it.
 */
#ifndef NAP_ASYNC_INTERNAL_H
#define NAP_ASYNC_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "arch/atomic.h"
#include "worker/worker.h"

struct nap_group;

struct nap__async_ops {
	/* Any thread inside: whether something is to go on that is in no queue. */
	bool (*waits)(struct nap_pool *pool);
	/*
	 * nap_group_wait_until() where the calling thread is in a fiber: true, and *@err is what it
	 * returns. False: the fiber waits as a thread.
	 */
	bool (*group_wait)(struct nap_group *group, uint64_t deadline, int *err);
	/* The joiner, with nobody else inside: ends what is left of it; tasks go behind @left. */
	void (*end)(struct nap_pool *pool, struct nap_batch *left);
	/* Any thread inside: whether there is something to poll for, and no poller. */
	bool (*unattended)(struct nap_pool *pool);
	/* Any thread inside: the same; or whether a fiber that waits for a stack can begin. */
	bool (*queued)(struct nap_pool *pool);
	/* Any thread inside: how many fibers wait for a stack. */
	uint32_t (*starts)(struct nap_pool *pool);
	/* Worker at a stop: what is due, or NULL; the same, or else the turn's task (src/sched/fair.h). */
	struct nap_task *(*take_due)(struct nap_worker *worker, bool *more);
	struct nap_task *(*take_turn)(struct nap_worker *worker, bool *more);
	/* Worker that has found nothing else: what is ready or due, or can begin; or NULL. */
	struct nap_task *(*find)(struct nap_worker *worker, bool *more);
	/* A worker about to park becomes the poller if nobody is: until when it may sleep; no longer. */
	uint64_t (*begin_polling)(struct nap_worker *worker, uint64_t deadline);
	void (*end_polling)(struct nap_worker *worker);
	/* The poller: whether somebody waits for a file. */
	bool (*has_files)(struct nap_pool *pool);
	/*
	 * The poller: sleep until a reason of EVENT_ANY is there, until a file is ready, or @until.
	 * *@ready: there are files for notify_ready().
	 */
	uint32_t (*sleep)(struct nap_worker *worker, uint64_t until, bool *ready);
	/* The poller: the waiters for those go on. */
	void (*notify_ready)(struct nap_pool *pool);
	/* Worker: the first that waits for a stack, and has it now; or NULL. */
	struct nap_task *(*take_start)(struct nap_worker *worker);
	/* The joiner, last of all; and the child of a fork. */
	void (*free)(struct nap_pool *pool);
};

/* The beginning of a struct nap__async: src/async/async.h. */
struct nap__async_head {
	const struct nap__async_ops *ops;
};

static inline struct nap__async *pool_async(struct nap_pool *pool)
{
	return nap_load_acquire(&pool->async);	/* pairs with nap__fibers_make() [A1] */
}

/* NULL: the pool has never had a fiber, a timer or a file. */
static inline const struct nap__async_ops *async_ops(struct nap_pool *pool)
{
	struct nap__async_head *head = (struct nap__async_head *)(void *)pool_async(pool);

	return head ? head->ops : NULL;
}

/* See nap__async_ops. */
static inline bool async_waits(struct nap_pool *pool)
{
	const struct nap__async_ops *ops = async_ops(pool);

	return ops && ops->waits(pool);
}

static inline bool async_queued(struct nap_pool *pool)
{
	const struct nap__async_ops *ops = async_ops(pool);

	return ops && ops->queued(pool);
}

static inline bool async_unattended(struct nap_pool *pool)
{
	const struct nap__async_ops *ops = async_ops(pool);

	return ops && ops->unattended(pool);
}

/* A worker, if it is the poller: no longer. */
static inline void async_end_polling(struct nap_worker *worker)
{
	struct nap__async_head *head;

	if (!worker->polls)
		return;
	head = (struct nap__async_head *)(void *)pool_async(worker->pool);
	head->ops->end_polling(worker);
}

/*
 * Called by the thread that stops the pool, and by the joiner when all workers have left: fibers of
 * others look again.
 */
static inline void async_ending(struct nap_pool *pool)
{
	void (*tell)(struct nap_pool *pool) = nap_load_relaxed(&pool->foreign_tell);

	if (tell)
		tell(pool);
}

#endif /* NAP_ASYNC_INTERNAL_H */
