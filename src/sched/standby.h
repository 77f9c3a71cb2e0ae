/* SPDX-License-Identifier: MIT */
/*
 * A worker is surplus if the limit has fallen (src/kit/limit.c), or if it has slept for too long. A
 * surplus worker retires: it is no longer counted, and begins no task. For some time it is on
 * standby and waits to be called back, because blocking sections make the limit rise and fall again
 * and again. Then it leaves: it runs worker_stop, and its thread ends. worker->record has its
 * state: src/worker/worker.h.
 *
 *	starter (src/thread/spawn.c)			worker
 *	---------------------			------
 *	count one worker more			count one worker less
 *	STANDBY -> STARTED, notify it		STARTED -> STANDBY; full fence
 *						check the queues, notify others
 *						sleep; STANDBY -> LEAVING
 *						worker_stop; LEAVING -> GONE
 *
 * Each arrow is a compare-exchange, so either the starter has the worker back, or the worker
 * leaves. A worker that leaves is not called back, because worker_stop may take long. At most
 * pool_capacity() workers are counted. Besides, one worker leaves at a time, and the thread of the
 * one that left last may not have ended. For these two there are SPARE_RECORDS more records, so a
 * starter finds a record.
 *
 * Tasks in the worker's ring stay there. Other workers steal them, as from a busy worker.
 *
 * Rejected: counting a worker until it has ended (tasks that are scheduled until then would wait
 * for its worker_stop); calling back a worker in worker_stop (until worker_stop returned, the
 * worker would not answer its notification, and producers rely on the answer); starting a thread on
 * the record of a worker that ends (the starter would wait for the ending thread, and may hold a
 * lock that this thread's destructors want).
 */
#ifndef NAP_STANDBY_H
#define NAP_STANDBY_H

#include <stdbool.h>
#include <stdint.h>

#include "idle/idle.h"
#include "worker/worker.h"

/* Called only if the limit has ever fallen. */
bool nap__is_surplus(struct nap_worker *worker);

/*
 * Called by a worker: whether it is surplus, and has to retire. False for a worker that has a
 * message to answer.
 */
static inline bool is_surplus(struct nap_worker *worker)
{
	/* Relaxed: a limit that has just fallen may be seen late. */
	return nap_load_relaxed(&worker->pool->lowered) && nap__is_surplus(worker);
}

/*
 * Called by a worker outside of all tasks that is not idle: retires, and is on standby for @ns.
 * Returns:
 *
 *	NAP_PARK	ask the protocol: the worker was called back, and has a signal to answer; or
 *			there are no more than @keep workers, or the pool has ended
 *	NAP_SEARCH	the worker's starter has not marked the record yet: ask again
 *	NAP_RETIRED	the worker leaves: call worker_stop, then nap__standby_leave()
 *	NAP_EXIT	the pool has ended, or this is the child of a fork
 */
enum nap__verdict nap__standby(struct nap_worker *worker, uint32_t keep, uint64_t ns);

/* The last step of a leaving worker. */
void nap__standby_leave(struct nap_worker *worker);

#endif /* NAP_STANDBY_H */
