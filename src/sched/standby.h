/* SPDX-License-Identifier: MIT */
/*
 * Workers that are too many. The limit has fallen (src/kit/limit.c), or they have slept for too
 * long. Such a worker retires: it is no longer counted, and begins no task. For some time it sits
 * on standby and waits to be called back, for blocking sections make the limit rise and fall
 * again and again. Then it leaves: worker_stop, and its thread ends. worker->record says how far it
 * is: src/worker/worker.h.
 *
 *	starter (src/thread/spawn.c)			worker
 *	---------------------			------
 *	count a worker more			count a worker less
 *	STANDBY -> STARTED, tell it		STARTED -> STANDBY; full fence
 *						look at the queues, tell others
 *						sleep; STANDBY -> LEAVING
 *						worker_stop; LEAVING -> GONE
 *
 * Each arrow is a compare-exchange, so either the starter has the worker back, or that leaves. A
 * worker that leaves is not called back: in worker_stop it may take its time. There are never more
 * than pool_capacity() that are counted, one leaves at a time, and the one that has left last may
 * not have ended; so a starter finds a record.
 *
 * What was pushed into the worker's ring stays there. Others steal it, as from a busy worker.
 *
 * Rejected: to count a worker until it has ended (what is scheduled until then would wait for its
 * worker_stop); to call back a worker in worker_stop (it would have the token of its waker, in
 * which others trust, as long as that lasts); to start a thread on the record of one that ends (the
 * starter would wait for that thread, and hold what its destructors want).
 */
#ifndef NAP_STANDBY_H
#define NAP_STANDBY_H

#include <stdbool.h>
#include <stdint.h>

#include "idle/idle.h"
#include "worker/worker.h"

/* Asked where the limit has ever fallen. */
bool nap__is_surplus(struct nap_worker *worker);

/* Worker: whether there are too many of them, so that one is to retire. Not before its message. */
static inline bool is_surplus(struct nap_worker *worker)
{
	/* Relaxed: a limit that has just fallen may be seen late. */
	return nap_load_relaxed(&worker->pool->lowered) && nap__is_surplus(worker);
}

/*
 * Worker with no task on the stack, that is not idle: retire, and sit on standby for @ns.
 *
 *	NAP_PARK	ask the protocol: it was called back, and has a signal to answer; or there are
 *			no more than @keep, or the pool has ended
 *	NAP_SEARCH	its starter had yet to say that it is there: ask again
 *	NAP_RETIRED	it leaves: worker_stop, and nap__standby_leave()
 *	NAP_EXIT	the pool has ended by now, or this is the child of a fork
 */
enum nap__verdict nap__standby(struct nap_worker *worker, uint32_t keep, uint64_t ns);

/* Worker that leaves: the last thing that it does. */
void nap__standby_leave(struct nap_worker *worker);

#endif /* NAP_STANDBY_H */
