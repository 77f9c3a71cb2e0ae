/* SPDX-License-Identifier: MIT */
/*
 * The interface to fibers, timers and files: pool->async. It is NULL until the pool has its first
 * fiber, timer or file, and then points to a table of functions. A program without fibers, timers
 * and files does not link these functions. A thread is "inside" a pool when it has entered one of
 * the pool's gates (src/worker/enter.h) or is a worker.
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
	/* Any thread inside: whether there is a fiber that has not ended, and is in no queue. */
	bool (*waits)(struct nap_pool *pool);
	/*
	 * nap_group_wait_until() for a fiber. True: *@err is the result. False: the fiber waits as
	 * a thread.
	 */
	bool (*group_wait)(struct nap_group *group, uint64_t deadline, int *err);
	/*
	 * Joiner, when no other thread is inside: ends remaining fibers and timers, and appends
	 * their tasks to @left. Returns 0, or -ETIMEDOUT: some fibers have not ended at the
	 * @deadline, and the next call continues.
	 */
	int (*end)(struct nap_pool *pool, struct nap_batch *left, uint64_t deadline);
	/* Any thread inside: whether there is something to poll for, and no poller. */
	bool (*unattended)(struct nap_pool *pool);
	/*
	 * Any thread inside: as unattended(); also true if a fiber that waits for a stack can
	 * begin.
	 */
	bool (*queued)(struct nap_pool *pool);
	/* Any thread inside: how many fibers wait for a stack. */
	uint32_t (*starts)(struct nap_pool *pool);
	/*
	 * Worker whose tick has come (src/worker/tick.h): take_due() returns a due task, or NULL;
	 * take_turn() returns a due task, or else the task that the tick serves.
	 */
	struct nap_task *(*take_due)(struct nap_worker *worker, bool *more);
	struct nap_task *(*take_turn)(struct nap_worker *worker, bool *more);
	/*
	 * Worker that has found no other task: returns a task that is ready or due, or a fiber that
	 * can begin; or NULL.
	 */
	struct nap_task *(*find)(struct nap_worker *worker, bool *more);
	/*
	 * Worker about to park: becomes the poller if there is none. Returns the time until which
	 * it may sleep.
	 */
	uint64_t (*begin_polling)(struct nap_worker *worker, uint64_t deadline);
	void (*end_polling)(struct nap_worker *worker);
	/* Poller: whether a fiber waits for a file. */
	bool (*has_files)(struct nap_pool *pool);
	/*
	 * Poller: sleeps until a reason of EVENT_ANY is set, a file is ready, or the time @until.
	 * *@ready: whether there are files for notify_ready().
	 */
	uint32_t (*sleep)(struct nap_worker *worker, uint64_t until, bool *ready);
	/* Poller: resumes the waiters for the ready files. */
	void (*notify_ready)(struct nap_pool *pool);
	/* Worker: takes the first fiber that waits for a stack, if a stack is free; or NULL. */
	struct nap_task *(*take_start)(struct nap_worker *worker);
	/* Fiber: whether its thread is a worker or guest of @pool in a frame below the fiber. */
	bool (*beneath)(struct nap_pool *pool);
	/* The joiner's last call, also made in the child of a fork: frees the memory. */
	void (*free)(struct nap_pool *pool);
};

/* The first member of a struct nap__async: src/async/async.h. */
struct nap__async_head {
	const struct nap__async_ops *ops;
};

static inline struct nap__async *pool_async(struct nap_pool *pool)
{
	return nap_load_acquire(&pool->async);	/* pairs with nap__fibers_make() [A1] */
}

/* Returns the table; NULL: the pool has never had a fiber, a timer or a file. */
static inline const struct nap__async_ops *async_ops(struct nap_pool *pool)
{
	struct nap__async_head *head = (struct nap__async_head *)(void *)pool_async(pool);

	return head ? head->ops : NULL;
}

/* These functions call those of struct nap__async_ops. */
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
 * Fibers of other pools that wait for something of this pool check again. Called by the thread that
 * stops the pool, and by the joiner when all workers have left.
 */
static inline void async_ending(struct nap_pool *pool)
{
	void (*tell)(struct nap_pool *pool) = nap_load_relaxed(&pool->foreign_tell);

	if (tell)
		tell(pool);
}

#endif /* NAP_ASYNC_INTERNAL_H */
