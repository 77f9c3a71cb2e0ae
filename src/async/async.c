/* SPDX-License-Identifier: MIT */
/*
 * The functions by which the rest of the pool uses timers, files, and fibers that wait for a stack:
 * src/worker/async.h. Typically there is a poller, and no fiber waits for a stack.
 */
#include "async/async.h"

#include "async/fiber/stacks.h"

bool nap__async_unattended(struct nap_pool *pool)
{
	return timers_unattended(&pool_async(pool)->timers);
}

uint32_t nap__async_starts(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool_async(pool)->starts);
}

bool nap__async_queued(struct nap_pool *pool)
{
	return nap__async_unattended(pool) || (nap__async_starts(pool) && nap__starts_may(pool));
}

uint64_t nap__async_begin_polling(struct nap_worker *worker, uint64_t deadline)
{
	return nap__timers_begin_polling(worker, &pool_async(worker->pool)->timers, deadline);
}

void nap__async_end_polling(struct nap_worker *worker)
{
	nap__timers_end_polling(worker, &pool_async(worker->pool)->timers);
}

bool nap__async_has_files(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool_async(pool)->timers.files);
}

uint32_t nap__async_sleep(struct nap_worker *worker, uint64_t until, bool *ready)
{
	struct nap__io *io = async_io(pool_async(worker->pool));

	return io ? io->ops->sleep(io, worker, until, ready) :
		    event_wait(&worker->event, EVENT_ANY, until);
}

void nap__async_notify_ready(struct nap_pool *pool)
{
	struct nap__io *io = async_io(pool_async(pool));

	io->ops->notify(io);
}

struct nap_task *nap__async_take_start(struct nap_worker *worker)
{
	return nap__async_starts(worker->pool) ? nap__starts_take(worker) : NULL;
}
