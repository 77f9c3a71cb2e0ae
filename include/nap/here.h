/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_run - run a program on the thread that it has
 *
 * The program begins as a fiber, and all other fibers and tasks run on the same thread.
 *
 *	static struct nap_pool pool = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);
 *
 *	int main(void)
 *	{
 *		intptr_t result;
 *		int err = nap_run(&pool, program, NULL, &result);
 *
 *		nap_pool_join(&pool, NULL);
 *		return err ? 1 : (int)result;
 *	}
 *
 * This is for programs that were written for libdill, for marl without worker threads, or for an
 * event loop of their own: only one fiber runs at a time, and so no other fiber changes anything
 * between two calls that may wait (NAP_FIBER_BUDGET: such a call may give way without a wait). With
 * NAP_NO_WORKERS (nap/config.h) the pool never starts a thread. nap_run() also works in a pool with
 * workers: then fibers run on the workers as well.
 */
#ifndef NAP_HERE_H
#define NAP_HERE_H

#include <stdint.h>

#include "fiber.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * nap_run() - run a fiber, and whatever else a pool has to run, on the calling thread
 * @pool:   the pool of the fiber
 * @fn:     the fiber's function; its stack is as nap_fibers_init() has set it
 * @arg:    handed to @fn
 * @result: set to what @fn has returned; or NULL
 *
 * Until @fn has returned the calling thread is a worker of @pool, as in nap_call(): it runs the
 * pool's tasks, fibers and timers, and polls the pool's files; while there is nothing to do it
 * sleeps. When @fn has returned the call returns, and other tasks and fibers stay in the pool.
 * Another nap_run(), nap_pool_help(), or any wait for the pool continues them, and nap_pool_join()
 * runs all of them to their ends.
 *
 * Any thread; several calls at once share the work. A fiber or a task of @pool may make this call,
 * too, and waits as in nap_await(). While NAP_GUESTS threads are inside, the caller waits for a
 * guest record, or until a worker, if there is one, has run @fn. Returns 0; -ECANCELED when the
 * pool was stopped during the call, or the calling fiber was canceled; -EDEADLK as nap_await().
 * After these two @fn may still run: other threads run it, or nap_pool_join() ends it. Also
 * -ESHUTDOWN when the pool was shut down before, or in the child of a fork that @fn has made;
 * -EAGAIN and -ENOMEM as nap_spawn(); -EINVAL when @pool or @fn is NULL.
 */
int nap_run(struct nap_pool *pool, nap_fiber_fn fn, void *arg, intptr_t *result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_HERE_H */
