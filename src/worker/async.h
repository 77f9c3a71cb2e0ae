/* SPDX-License-Identifier: MIT */
/*
 * The interface to fibers, timers and files: pool->async, which is NULL until the first of them,
 * and then points to a table of functions. A program without any of these is not linked with them.
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
	/* Any thread inside: whether something that is in no queue has yet to go on. */
	bool (*waits)(struct nap_pool *pool);
	/*
	 * nap_group_wait_until() for a fiber. True: *@err is the result. False: the fiber waits as
	 * a thread.
	 */
	bool (*group_wait)(struct nap_group *group, uint64_t deadline, int *err);
	/*
	 * Joiner, with nobody else inside: ends what remains; tasks are appended to @left. 0, or
	 * -ETIMEDOUT: at the @deadline some fibers have not ended, and another call goes on.
	 */
	int (*end)(struct nap_pool *pool, struct nap_batch *left, uint64_t deadline);
	/* Any thread inside: whether there is something to poll for, and no poller. */
	bool (*unattended)(struct nap_pool *pool);
	/*
	 * Any thread inside: as unattended(); or whether a fiber can begin that waits for a stack.
	 */
	bool (*queued)(struct nap_pool *pool);
	/* Any thread inside: how many fibers wait for a stack. */
	uint32_t (*starts)(struct nap_pool *pool);
	/*
	 * Worker whose tick has come: what is due, or NULL; take_turn(): or else the tick's task.
	 */
	struct nap_task *(*take_due)(struct nap_worker *worker, bool *more);
	struct nap_task *(*take_turn)(struct nap_worker *worker, bool *more);
	/* Worker that has found nothing else: what is ready or due, or can begin; or NULL. */
	struct nap_task *(*find)(struct nap_worker *worker, bool *more);
	/*
	 * Worker about to park: becomes the poller if there is none. Returns until when it may
	 * sleep.
	 */
	uint64_t (*begin_polling)(struct nap_worker *worker, uint64_t deadline);
	void (*end_polling)(struct nap_worker *worker);
	/* Poller: whether a fiber waits for a file. */
	bool (*has_files)(struct nap_pool *pool);
	/*
	 * Poller: sleeps until a reason of EVENT_ANY is there, until a file is ready, or @until.
	 * *@ready: there are files for notify_ready().
	 */
	uint32_t (*sleep)(struct nap_worker *worker, uint64_t until, bool *ready);
	/* Poller: resumes the waiters for the ready files. */
	void (*notify_ready)(struct nap_pool *pool);
	/* Worker: takes the first fiber that waits for a stack, if there is one for it; or NULL. */
	struct nap_task *(*take_start)(struct nap_worker *worker);
	/* Fiber: whether its thread is a worker or guest of @pool beneath the fiber's stack. */
	bool (*beneath)(struct nap_pool *pool);
	/* The joiner's last call; also in the child of a fork. */
	void (*free)(struct nap_pool *pool);
};

/* What a struct nap__async begins with: src/async/async.h. */
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

/* See struct nap__async_ops. */
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

/* Worker: ends its polling, if it is the poller. */
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
 * other pools check again.
 */
static inline void async_ending(struct nap_pool *pool)
{
	void (*tell)(struct nap_pool *pool) = nap_load_relaxed(&pool->foreign_tell);

	if (tell)
		tell(pool);
}

#endif /* NAP_ASYNC_INTERNAL_H */
