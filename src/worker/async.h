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
	/* Worker about to park: until when it may sleep, @deadline or earlier; and when it wakes. */
	uint64_t (*sit)(struct nap_worker *worker, struct nap__timers *timers, uint64_t deadline);
	void (*rise)(struct nap_worker *worker, struct nap__timers *timers);
	/* Worker: the first that waits for a stack, and has it now. Any thread: whether there is one. */
	struct nap_task *(*take_start)(struct nap_worker *worker);
	bool (*may_start)(struct nap_pool *pool);
	/* The joiner, last of all; and the child of a fork. */
	void (*free)(struct nap_pool *pool);
};

/* The first of what src/async/io/io.h has: so is who waits for no file linked with none of that. */
struct nap__io_ops {
	/* Worker that sits: event_wait() for EVENT_ANY, or until files are ready. */
	uint32_t (*sleep)(struct nap__io *io, struct nap_worker *worker, uint64_t deadline,
			  bool *ready);
	/* The same, after that: the waiters for them go on. */
	void (*tell)(struct nap__io *io);
	/* Worker that does not, nor any other: without sleeping, for the worker that fires next. */
	void (*look)(struct nap__io *io, struct nap_worker *worker);
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

/* Any thread inside: whether a worker is to sit for the timers, and none does. */
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

/* Any thread inside: whether a worker is to sit for the timers, and none does, or a fiber can begin. */
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
static inline void async_look(struct nap__async *async, struct nap_worker *worker)
{
	struct nap__io *io = async_io(async);

	if (io && timers_files_unattended(&async->timers))
		io->ops->look(io, worker);
}

/* Worker that has found nothing else: see nap__async_ops. */
static inline struct nap_task *async_find(struct nap_worker *worker, bool *more)
{
	struct nap__async *async = pool_async(worker->pool);

	return async ? async->ops->find(worker, more) : NULL;
}

static inline uint64_t async_sit(struct nap_pool *pool, struct nap_worker *worker,
				 uint64_t deadline)
{
	struct nap__async *async = pool_async(pool);

	return async ? async->ops->sit(worker, &async->timers, deadline) : deadline;
}

/* Worker that sits: whether somebody waits for a file. */
static inline bool async_has_files(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool_async(pool)->timers.files);
}

/*
 * Worker that sits: sleep until a reason of EVENT_ANY is there, until a file is ready, or @until. *@ready:
 * there are files for async_tell().
 */
static inline uint32_t async_sleep(struct nap_pool *pool, struct nap_worker *worker, uint64_t until,
				   bool *ready)
{
	struct nap__io *io = async_io(pool_async(pool));

	return io ? io->ops->sleep(io, worker, until, ready) :
		    event_wait(&worker->event, EVENT_ANY, until);
}

/* Worker that sits: the waiters for those go on. */
static inline void async_tell(struct nap_pool *pool)
{
	struct nap__io *io = async_io(pool_async(pool));

	io->ops->tell(io);
}

/* Worker, if it sits: no longer. */
static inline void async_rise(struct nap_worker *worker)
{
	struct nap__async *async;

	if (!worker->sits)
		return;
	async = pool_async(worker->pool);
	async->ops->rise(worker, &async->timers);
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
