/* SPDX-License-Identifier: MIT */
/*
 * Surplus workers: the limit has fallen (src/kit/limit.c), or they have slept for too long. Such a
 * worker retires: it is no longer counted, and begins no task. For some time it is on standby and
 * waits to be called back, because blocking sections make the limit rise and fall again and again.
 * Then it leaves: it runs worker_stop, and its thread ends. worker->record has its state:
 * src/worker/worker.h.
 *
 *	starter (src/thread/spawn.c)			worker
 *	---------------------			------
 *	count a worker more			count a worker less
 *	STANDBY -> STARTED, notify it		STARTED -> STANDBY; full fence
 *						check the queues, notify others
 *						sleep; STANDBY -> LEAVING
 *						worker_stop; LEAVING -> GONE
 *
 * Each arrow is a compare-exchange, so either the starter has the worker back, or the worker
 * leaves. A worker that leaves is not called back, because worker_stop may take its time. At most
 * pool_capacity() workers are counted, one leaves at a time, and the thread of the one that left
 * last may not have ended; so a starter finds a record.
 *
 * What was pushed into the worker's ring stays there. Others steal it, as from a busy worker.
 *
 * Rejected: counting a worker until it has ended (what is scheduled until then would wait for its
 * worker_stop); calling back a worker in worker_stop (until that returned, the worker would hold
 * the token of its waker, in which others trust); starting a thread on the record of a worker that
 * ends (the starter would wait for that thread, and may hold what the thread's destructors want).
 */
#ifndef NAP_STANDBY_H
#define NAP_STANDBY_H

#include <stdbool.h>
#include <stdint.h>

#include "idle/idle.h"
#include "worker/worker.h"

/* Called where the limit has ever fallen. */
bool nap__is_surplus(struct nap_worker *worker);

/* Worker: whether it is surplus, and has to retire. Not before it has answered its message. */
static inline bool is_surplus(struct nap_worker *worker)
{
	/* Relaxed: a limit that has just fallen may be seen late. */
	return nap_load_relaxed(&worker->pool->lowered) && nap__is_surplus(worker);
}

/*
 * Worker with no task on the stack, that is not idle: retires, and is on standby for @ns.
 *
 *	NAP_PARK	ask the protocol: it was called back, and has a signal to answer; or there
 *			are no more than @keep, or the pool has ended
 *	NAP_SEARCH	its starter has not marked the record yet: ask again
 *	NAP_RETIRED	it leaves: worker_stop, and nap__standby_leave()
 *	NAP_EXIT	the pool has ended, or this is the child of a fork
 */
enum nap__verdict nap__standby(struct nap_worker *worker, uint32_t keep, uint64_t ns);

/* The last thing that a leaving worker does. */
void nap__standby_leave(struct nap_worker *worker);

#endif /* NAP_STANDBY_H */
