/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_scope_begin - fibers that end together
 *
 * The fibers of a scope end together.
 *
 *	struct nap_scope scope;
 *
 *	nap_scope_begin(&scope, &pool);
 *	nap_scope_spawn(&scope, fetch, &a);
 *	nap_scope_spawn(&scope, fetch, &b);
 *	err = nap_scope_end(&scope);
 *
 * No fiber of the scope outlives nap_scope_end(): so the fibers may use what lies on the stack of
 * the thread that calls nap_scope_end(). The first fiber that fails, by returning a negative
 * number, cancels the others (nap/fiber.h), and nap_scope_end() returns that number. A
 * cancellation of the fiber that waits in nap_scope_end() cancels all fibers of the scope, too. A
 * fiber of the scope may spawn others into it, and begin scopes of its own.
 *
 * The fiber that has opened a scope is its owner, and belongs to the scope until it calls
 * nap_scope_end(). When another fiber of the scope fails, or the scope is canceled, the owner is
 * canceled, too: its waits return -ECANCELED, unless shielded, and nap_fiber_canceled() is true. So
 * the owner does not wait for something that no fiber is left to send. The owner comes to
 * nap_scope_end(), which waits for the other fibers, and returns what the failed fiber has
 * returned. From nap_scope_end() on the owner is no longer canceled, unless something else has
 * canceled it. If the owner is a thread, its waits are not ended.
 *
 * A scope is opened by a fiber, or by a thread that is no worker of the pool. A task may not open a
 * scope, because the task would block a worker that the scope's fibers need.
 *
 * The model is that of Trio's nurseries (Nathaniel J. Smith, "Notes on structured concurrency, or:
 * Go statement considered harmful", 2018).
 */
#ifndef NAP_SCOPE_H
#define NAP_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "fiber.h"
#include "group.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * struct nap_scope - a scope; in use from nap_scope_begin() to the return of nap_scope_end()
 *
 * The memory of the scope's pool has to stay until then, even if the pool was joined before.
 */
struct nap_scope {
	struct nap_pool *pool;
	struct nap_group group;
	struct nap_fiber *members;
	uint32_t lock;
	bool canceled;
	intptr_t failure;
	struct nap_fiber *owner;
	struct nap_scope *outer;
};

/**
 * nap_scope_begin() - open a scope
 * @scope: not in use
 * @pool:  the pool on which the scope's fibers run
 *
 * The same fiber or thread has to end the scope, by nap_scope_end(). Returns 0; -EINVAL when an
 * argument is NULL; -EDEADLK in a task of @pool, or where a fiber of @pool waits as a thread
 * (nap/fiber.h). Where a fiber of another pool waits as a thread the scope's owner is that thread.
 */
int nap_scope_begin(struct nap_scope *scope, struct nap_pool *pool);

/**
 * nap_scope_spawn() - have a fiber run in a scope
 *
 * Called by the scope's owner, or a fiber of the scope. The arguments are those of nap_spawn(), but
 * there is no handle. Returns as nap_spawn(); -ECANCELED when the scope is canceled, or one of its
 * fibers has failed.
 */
int nap_scope_spawn(struct nap_scope *scope, nap_fiber_fn fn, void *arg);

/**
 * nap_scope_cancel() - ask all fibers of a scope to end
 *
 * This is nap_fiber_cancel() of each fiber. No fiber can be spawned into the scope afterwards. The
 * caller has to know that the scope has not ended: it is the owner, a fiber of the scope, or a
 * thread or fiber that waits for such a fiber. Returns 0; -ESHUTDOWN in the child of a fork, where
 * no fiber of the scope continues; -EINVAL when @scope is NULL.
 */
int nap_scope_cancel(struct nap_scope *scope);

/**
 * nap_scope_end() - wait until all fibers of a scope have ended
 *
 * Called by the thread or fiber that has begun the scope. On return what the scope's fibers wrote
 * is visible, and their stacks are free. When the calling fiber is canceled, or its pool stopped,
 * the scope's fibers are canceled, too, and the call still waits for them.
 *
 * The fibers of a stopped pool continue only in the pool's join, which the program may call only
 * after this call. So if the caller is no fiber of the scope's pool, this call ends the stopped
 * pool as nap_pool_join() does: the fibers run on the calling thread, and a later nap_pool_join()
 * still returns 0, and hands out the tasks that were not run. A caller that is a worker of another
 * pool does this in pieces of about a millisecond, and runs its own pool's tasks and fibers in
 * between, because fibers of the two pools may wait for each other. But a pool ends only when no
 * thread waits in it. Suppose that a worker of another pool waits for a fiber of the stopped pool.
 * During this wait it runs a task, and the task ends a scope of the stopped pool: then the worker
 * would wait for its own wait to end.
 *
 * A caller at the nesting limit (nap_group_wait()) does not give up: it waits until another thread
 * runs the fibers, for example by nap_pool_help().
 *
 * Returns 0; the result of the first fiber that failed; -ECANCELED when no fiber failed, the call
 * had to wait for a fiber, and one of these is true: the caller was canceled, the caller's pool was
 * stopped, or the scope's pool was stopped; -EDEADLK when nap_scope_begin() would return -EDEADLK,
 * and the scope stays open; -ESHUTDOWN in the child of a fork, where no fiber of the scope
 * continues; -EINVAL when @scope is NULL.
 */
intptr_t nap_scope_end(struct nap_scope *scope);

/**
 * nap_scope_end_until() - nap_scope_end() until a @deadline
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER. 0, or a time in the past: do
 *            not wait
 * @result:   set to what nap_scope_end() would have returned, if this call returns 0; or NULL
 *
 * After -ETIMEDOUT the scope is still open: its fibers go on, others may be spawned, it may be
 * canceled, and another call has to end it. But the scope no longer cancels its owner; and if the
 * caller was canceled, the call has canceled the scope. After a stop the call may last longer than
 * the deadline, by the time that a fiber takes from one wait to the next.
 *
 * Returns 0: the fibers have ended; -ETIMEDOUT when the deadline came first; -EDEADLK, -ESHUTDOWN
 * and -EINVAL as nap_scope_end().
 */
int nap_scope_end_until(struct nap_scope *scope, uint64_t deadline, intptr_t *result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_SCOPE_H */
