/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_broadcast - a function that every worker calls once
 *
 * A broadcast has every worker do something once: throw away its cache, take a new configuration,
 * hand over its counts.
 *
 *	static void forget(struct nap_worker *worker, void *arg)
 *	{
 *		cache_clear(nap_local_get(worker, &caches));
 *	}
 *
 *	int n = nap_broadcast(&pool, forget, NULL);	n workers have done it
 */
#ifndef NAP_BROADCAST_H
#define NAP_BROADCAST_H

#include "call.h"
#include "pool.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * nap_broadcast() - call @fn once on each worker, and wait until each has returned from it
 * @pool: the pool whose started workers call @fn. After nap_pool_prewarm(pool, n) there are at
 *        least n; a pool that was not used yet has none
 * @fn:   called by each worker with itself and @arg, by all workers at the same time; the caller
 *        calls it, too, if it is a worker of @pool
 *
 * Any thread. A worker that sleeps is woken. A busy worker calls @fn between two tasks, or inside a
 * task that waits for a job or for a group of @pool. So a task that blocks otherwise, or waits for
 * another pool, or for a group without a pool (such a wait runs nothing, nor does it call @fn),
 * holds up the broadcast; and if it waits for something that comes after the broadcast, both wait
 * for ever. So do two workers of different pools that broadcast on each other's pool. Several
 * broadcasts on one pool run one after the other.
 *
 * @fn shall be short. During the broadcast neither @fn nor the caller runs other tasks: a wait in
 * @fn only sleeps, and other threads run what the wait is for. A caller that has forked joins its
 * jobs first. What the caller wrote before is visible to every @fn, and what every @fn wrote is
 * visible to the caller. @fn ends as a task does: nap/task.h.
 *
 * Returns on how many workers @fn was called; -ESHUTDOWN in the child of a fork, and when the pool
 * was shut down before, unless the caller is one of its workers; -ECANCELED when the pool was shut
 * down in STOP mode before @fn had begun anywhere; -EDEADLK inside the function of a broadcast;
 * -EINVAL when @pool or @fn is NULL. A broadcast that has begun completes, whatever becomes of the
 * pool.
 */
int nap_broadcast(struct nap_pool *pool, nap_call_fn fn, void *arg);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_BROADCAST_H */
