/* SPDX-License-Identifier: MIT */
/*
 * The state of a pool's fibers, timers and files: pool->async. The rest of the pool sees only the
 * first member (src/worker/async.h).
 */
#ifndef NAP_ASYNC_STATE_H
#define NAP_ASYNC_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "async/timer/timers.h"
#include "os/os.h"
#include "sync/event.h"
#include "worker/async.h"
#include "worker/worker.h"

struct nap__io;

/* These are pointers, so that a program that waits for no file links nothing of src/async/io. */
struct nap__io_ops {
	/*
	 * Called by the poller: sleeps as event_wait() for EVENT_ANY; a ready file ends the sleep,
	 * too.
	 */
	uint32_t (*sleep)(struct nap__io *io, struct nap_worker *worker, uint64_t deadline,
			  bool *ready);
	/* Called by the poller after its sleep: resumes the waiters for the ready files. */
	void (*notify)(struct nap__io *io);
	/*
	 * Called while there is no poller: polls without sleeping; the next worker that fires
	 * timers resumes the waiters.
	 */
	void (*poll)(struct nap__io *io, struct nap_worker *worker);
	/* As free() in struct nap__async_ops. */
	void (*free)(struct nap__io *io);
};

struct nap__io {
	const struct nap__io_ops *ops;
};

struct nap__async {
	struct nap__async_head head;
	struct nap__timers timers;
	struct nap__io *io;		/* A: NULL until a fiber has waited for a file */
	uint32_t starts;		/* A: tasks without a stack: src/async/fiber/starts.c */
};

static inline struct nap__io *async_io(struct nap__async *async)
{
	return nap_load_acquire(&async->io);	/* pairs with the release in make_files() [Z2] */
}

/*
 * Called by a worker: polls for files, if fibers wait for files, and there is no poller. The next
 * worker that fires timers (nap__timers_fire()) resumes the fibers whose files are ready.
 */
static inline void async_poll(struct nap__async *async, struct nap_worker *worker)
{
	struct nap__io *io = async_io(async);

	if (io && timers_files_unattended(&async->timers))
		io->ops->poll(io, worker);
}

/* Functions of struct nap__async_ops. */
bool nap__async_unattended(struct nap_pool *pool);
bool nap__async_queued(struct nap_pool *pool);
uint32_t nap__async_starts(struct nap_pool *pool);
uint64_t nap__async_begin_polling(struct nap_worker *worker, uint64_t deadline);
void nap__async_end_polling(struct nap_worker *worker);
bool nap__async_has_files(struct nap_pool *pool);
uint32_t nap__async_sleep(struct nap_worker *worker, uint64_t until, bool *ready);
void nap__async_notify_ready(struct nap_pool *pool);
struct nap_task *nap__async_take_start(struct nap_worker *worker);

#endif /* NAP_ASYNC_STATE_H */
