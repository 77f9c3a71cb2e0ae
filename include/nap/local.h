/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_local_get - data of which each worker of a pool has its own
 *
 * Each worker has data of its own: a buffer, a counter, a generator of random numbers. The data
 * outlive the tasks that use them, and end with the pool.
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
 * @make: makes the data of @worker, on this worker, at the first nap_local_get(). Where @make
 *        returns NULL there are no data, and the next nap_local_get() calls @make again. @make may
 *        wait, as a thread does, also in a fiber: the worker stays the same. If a task that runs
 *        nested in @make asks for these data, @make is called for that task as well; then the data
 *        of the nested call are kept, and the others are ended at once
 * @end:  ends the data of a worker; called by the thread that joins the pool, when all workers have
 *        ended, or by an unregistered guest (one for which no memory for a record could be had),
 *        when it leaves; or on @worker, see above. NULL: nothing is to be done
 * @arg:  passed to both
 *
 * The other fields are the pool's. In use until the pool is joined, in one pool at a time.
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
 * nap_local_add() - have each worker of @pool have data of the kind @local
 * @pool: initialised, and not used by anybody yet: nothing was scheduled or called
 *
 * Returns 0; -EALREADY when @pool has it; -EOVERFLOW when there are NAP_LOCALS; -EINVAL when an
 * argument or @local->make is NULL. On an error nothing has changed.
 */
int nap_local_add(struct nap_pool *pool, struct nap_local *local);

/**
 * nap_local_get() - the calling worker's data of a kind
 * @worker: the calling worker: nap_worker_self(), or what a job or nap_call() was given. Of a pool
 *          to which @local was added
 *
 * A thread from outside that is a worker for a while has the data that other such threads had
 * before, one thread at a time. In a loop (nap/for.h) the thread is a worker in each range, except
 * for a loop that is serial by its @serial, and for the remaining ranges of a loop whose pool was
 * shut down while it ran.
 *
 * Returns what @local->make has made; NULL also where @worker is NULL. In the child of a fork the
 * data are no longer there, and @end is not called.
 */
void *nap_local_get(struct nap_worker *worker, const struct nap_local *local);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_LOCAL_H */
