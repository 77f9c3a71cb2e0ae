/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_call - call a function that forks from outside the pool
 *
 * A thread outside the pool calls a function that forks (nap/fork.h).
 */
#ifndef NAP_CALL_H
#define NAP_CALL_H

#include <stdint.h>

#include "pool.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * typedef nap_call_fn - a function that forks, called from outside
 * @worker: the calling thread's worker until the function returns: the function forks and joins
 *          with it, from nap_top() on
 * @arg:    as given to nap_call()
 */
typedef void (*nap_call_fn)(struct nap_worker *worker, void *arg);

/**
 * nap_call() - call @fn so that it can fork, and wait until it has returned
 * @pool: the pool whose workers may take what @fn forks
 * @fn:   may do what a task may
 * @arg:  passed to @fn
 *
 * Any thread. On a worker of @pool this is a direct call (in it nap_fiber_self() returns NULL).
 * Another thread becomes a worker of @pool, a guest, until @fn has returned, and runs @fn itself.
 * The pool's own workers steal this thread's jobs before those of each other; inside @fn
 * nap_worker_self() is the guest. A caller that is a worker of another pool stays that pool's
 * worker, too, and may schedule there and wait for that pool's groups; nap_pool_join() and
 * nap_pool_quiesce() return -EDEADLK for both pools.
 *
 * There can be NAP_GUESTS guests. While all of them are inside, the caller sleeps until a worker
 * has run @fn for it, or until a guest has left and the caller runs @fn itself, whichever comes
 * first; so @fn may run on another thread than the caller's. A caller that sleeps runs nothing
 * else. What @fn schedules on a guest goes to the injection queue.
 *
 * An exception may leave @fn: it passes through nap_call() to the caller, and the pool is as if @fn
 * had returned. The thread may leave @fn, too, by pthread_exit() or a cancellation. (Where these do
 * not unwind the stack, as on musl, the guest leaves later: when the thread's specific data are
 * destroyed.) In both cases @fn must have joined its jobs before; if not, nap prints one line
 * and aborts. But where a worker runs @fn for the caller, @fn is a task, and an exception that
 * leaves it does not reach the caller: nap/task.h. longjmp() out of @fn is not allowed: nap/task.h.
 *
 * nap_pool_shutdown() waits for no call; nap_pool_join() waits until @fn has returned.
 *
 * Returns 0 when @fn has returned; -ESHUTDOWN when the pool was shut down; -ECANCELED when the pool
 * was shut down in STOP mode before @fn had begun; -EINVAL when @pool or @fn is NULL.
 */
int nap_call(struct nap_pool *pool, nap_call_fn fn, void *arg);

/**
 * nap_call_for() - nap_call() of a function that begins within a time
 * @timeout_ns: nanoseconds (see nap_group_wait_for()) until @fn has begun, here or on a worker; 0:
 *              only if the caller can be a guest now
 *
 * Returns as nap_call(), or -ETIMEDOUT: @fn has not begun, and will not begin. If @fn has begun in
 * time, the call waits until @fn has returned.
 */
int nap_call_for(struct nap_pool *pool, nap_call_fn fn, void *arg, uint64_t timeout_ns);

/**
 * nap_call_until() - nap_call() of a function that begins before @deadline
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER
 */
int nap_call_until(struct nap_pool *pool, nap_call_fn fn, void *arg, uint64_t deadline);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_CALL_H */
