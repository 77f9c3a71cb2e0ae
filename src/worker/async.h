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
#include "async/timer/timers.h"
#include "os/os.h"
#include "sync/event.h"
#include "worker/worker.h"

struct nap__io;
struct nap_group;
struct nap_worker;

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
	/* Worker: the first of what is ready, or due @now, to be run; or NULL. *@more: a rest. */
	struct nap_task *(*fire)(struct nap_worker *worker, struct nap__timers *timers,
				 uint64_t now, bool *more);
	/* Worker at a stop: what is due, or NULL; the same, or else the turn's task (src/sched/fair.h). */
	struct nap_task *(*take_due)(struct nap_worker *worker, bool *more);
	struct nap_task *(*take_turn)(struct nap_worker *worker, bool *more);
	/* Worker that has found nothing else: what is ready or due, or can begin; or NULL. */
	struct nap_task *(*find)(struct nap_worker *worker, bool *more);
	/* A worker about to park becomes the poller if nobody is: until when it may sleep; no longer. */
	uint64_t (*begin_polling)(struct nap_worker *worker, struct nap__timers *timers,
				  uint64_t deadline);
	void (*end_polling)(struct nap_worker *worker, struct nap__timers *timers);
	/* Worker: the first that waits for a stack, and has it now. Any thread: whether there is one. */
	struct nap_task *(*take_start)(struct nap_worker *worker);
	bool (*may_start)(struct nap_pool *pool);
	/* The joiner, last of all; and the child of a fork. */
	void (*free)(struct nap_pool *pool);
};

/* The first member of src/async/io/io.h's: a program that waits for no file is linked without it. */
struct nap__io_ops {
	/* The poller: event_wait() for EVENT_ANY, or until files are ready. */
	uint32_t (*sleep)(struct nap__io *io, struct nap_worker *worker, uint64_t deadline,
			  bool *ready);
	/* The poller, after that: the waiters for those files go on. */
	void (*notify)(struct nap__io *io);
	/* A worker, while nobody is the poller: poll without sleeping, for the worker that fires next. */
	void (*poll)(struct nap__io *io, struct nap_worker *worker);
	/* As nap__async_ops has it. */
	void (*free)(struct nap__io *io);
};

struct nap__io {
	const struct nap__io_ops *ops;
};

struct nap__async {
	const struct nap__async_ops *ops;
	struct nap__timers timers;
	struct nap__io *io;		/* A: NULL until a fiber has waited for a file */
	uint32_t starts;		/* A: how many wait for a stack: src/async/fiber/starts.c */
};

static inline struct nap__async *pool_async(struct nap_pool *pool)
{
	return nap_load_acquire(&pool->async);	/* pairs with nap__async_of() [A1] */
}

static inline struct nap__io *async_io(struct nap__async *async)
{
	return nap_load_acquire(&async->io);	/* pairs with make_files() [Z2] */
}

/* See nap__async_ops. */
static inline bool async_waits(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);

	return async && async->ops->waits(pool);
}

/* Any thread inside: whether there is something to poll for, and no poller. */
static inline bool async_unattended(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);

	return async && timers_unattended(&async->timers);
}

/* Any thread inside: how many fibers wait for a stack to begin on. */
static inline uint32_t async_starts(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);

	return async ? nap_load_relaxed(&async->starts) : 0;
}

/* Any thread inside: the same; or whether a fiber that waits for a stack can begin. */
static inline bool async_queued(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);

	return async && (timers_unattended(&async->timers) ||
			 (nap_load_relaxed(&async->starts) && async->ops->may_start(pool)));
}

/* Worker of a pool that has it: see nap__async_ops. */
static inline struct nap_task *async_take_start(struct nap__async *async, struct nap_worker *worker)
{
	return nap_load_relaxed(&async->starts) ? async->ops->take_start(worker) : NULL;
}

/* Worker: fibers whose files are ready are for the worker that fires next. */
static inline void async_poll(struct nap__async *async, struct nap_worker *worker)
{
	struct nap__io *io = async_io(async);

	if (io && timers_files_unattended(&async->timers))
		io->ops->poll(io, worker);
}

/* Worker that has found nothing else: see nap__async_ops. */
static inline struct nap_task *async_find(struct nap_worker *worker, bool *more)
{
	struct nap__async *async = pool_async(worker->pool);

	return async ? async->ops->find(worker, more) : NULL;
}

static inline uint64_t async_begin_polling(struct nap_pool *pool, struct nap_worker *worker,
					   uint64_t deadline)
{
	struct nap__async *async = pool_async(pool);

	return async ? async->ops->begin_polling(worker, &async->timers, deadline) : deadline;
}

/* The poller: whether somebody waits for a file. */
static inline bool async_has_files(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool_async(pool)->timers.files);
}

/*
 * The poller: sleep until a reason of EVENT_ANY is there, until a file is ready, or @until. *@ready:
 * there are files for async_notify_ready().
 */
static inline uint32_t async_sleep(struct nap_pool *pool, struct nap_worker *worker, uint64_t until,
				   bool *ready)
{
	struct nap__io *io = async_io(pool_async(pool));

	return io ? io->ops->sleep(io, worker, until, ready) :
		    event_wait(&worker->event, EVENT_ANY, until);
}

/* The poller: the waiters for those files go on. */
static inline void async_notify_ready(struct nap_pool *pool)
{
	struct nap__io *io = async_io(pool_async(pool));

	io->ops->notify(io);
}

/* A worker, if it is the poller: no longer. */
static inline void async_end_polling(struct nap_worker *worker)
{
	struct nap__async *async;

	if (!worker->polls)
		return;
	async = pool_async(worker->pool);
	async->ops->end_polling(worker, &async->timers);
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
