/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_local_get - data of which each worker of a pool has its own
 *
 * Each worker has data of its own: a buffer, a counter, a generator of random numbers. The data
 * outlive the tasks that use them, and are ended with the pool.
 *
 *	static void *make(struct nap_worker *worker, void *arg) { return calloc(1, 4096); }
 *	static void end(void *buffer, void *arg) { free(buffer); }
 *
 *	static struct nap_local buffers = NAP_LOCAL_INIT(make, end, NULL);
 *
 *	nap_local_add(&pool, &buffers);				before the pool is used
 *	char *buffer = nap_local_get(nap_worker_self(), &buffers);	in a task, a range, a job
 */
#ifndef NAP_LOCAL_H
#define NAP_LOCAL_H

#include <stdint.h>

#include "pool.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** NAP_LOCALS - how many kinds a pool has at most */
#define NAP_LOCALS 8

/**
 * struct nap_local - a kind of data of which each worker has its own
 * @make: makes the data of @worker, on this worker, at the first nap_local_get(). If @make returns
 *        NULL the worker has no data, and the next nap_local_get() calls @make again. @make may
 *        wait, even in a fiber: the wait blocks the worker, which stays the same. In a wait @make
 *        may run other tasks. If such a task calls nap_local_get() for the same kind, @make is
 *        called once more, inside the first call; then the data of the inner call are kept, and
 *        those of the outer call are ended at once
 * @end:  ends the data of a worker. The thread that joins the pool calls it when all workers have
 *        ended. A guest without a record of its own (nap/call.h, nap_pool_help()) calls it
 *        before it leaves. @worker itself calls it for the outer data above. NULL: there is
 *        nothing to do
 * @arg:  passed to @make and @end
 *
 * The other fields are the pool's. A struct nap_local is in use until its pool is joined, in one
 * pool at a time.
 */
struct nap_local {
	void *(*make)(struct nap_worker *worker, void *arg);
	void (*end)(void *data, void *arg);
	void *arg;
	struct nap_local *next;
	uint32_t index;
};

/** NAP_LOCAL_INIT() - static initialiser */
#ifdef __cplusplus
#define NAP_LOCAL_INIT(make, end, arg) { (make), (end), (arg), nullptr, 0 }
#else
#define NAP_LOCAL_INIT(make, end, arg) { (make), (end), (arg), NULL, 0 }
#endif

/**
 * nap_local_add() - give each worker of @pool data of the kind @local
 * @pool: initialised, and not used yet: nothing was scheduled or called
 *
 * Returns 0; -EBUSY when @pool has had a worker, or its end has begun; -EALREADY when @pool has
 * @local already; -EOVERFLOW when @pool has NAP_LOCALS kinds; -EINVAL when an argument or
 * @local->make is NULL. On an error nothing has changed.
 */
int nap_local_add(struct nap_pool *pool, struct nap_local *local);

/**
 * nap_local_get() - the calling worker's data of a kind
 * @worker: the calling worker: nap_worker_self(), or what a job or nap_call() was given; of a pool
 *          to which @local was added
 *
 * A thread from outside that is a worker for a while has the data that other such threads had
 * before, one thread at a time. In a loop (nap/for.h) such a thread is a worker in each range,
 * except in a loop of at most @serial indices (struct nap_loop), and in the remaining ranges of a
 * loop whose pool was shut down while the loop ran.
 *
 * Returns what @local->make has made; NULL if @worker is NULL. In the child of a fork the data are
 * no longer there, and @end is not called.
 */
void *nap_local_get(struct nap_worker *worker, const struct nap_local *local);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_LOCAL_H */
