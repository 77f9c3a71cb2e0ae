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
 * The owner, the fiber that has opened a scope, belongs to it until it calls nap_scope_end(): when
 * one of the others fails, or the scope is canceled, the owner's waits are -ECANCELED, too, unless
 * shielded, and nap_fiber_canceled() says so. So the owner does not wait for something that no
 * fiber is left to send. It comes to nap_scope_end() instead, which waits for the other fibers and
 * says what has failed. From then on the owner is no longer canceled, unless something else has
 * canceled it. The waits of an owner that is a thread are not ended.
 *
 * Which threads open a scope: a fiber, or a thread that is none of the pool's workers. A task would
 * block a worker that its fibers need.
 *
 * After Trio's nurseries (Nathaniel J. Smith, "Notes on structured concurrency, or: Go statement
 * considered harmful", 2018).
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
 * struct nap_scope - the caller's memory from nap_scope_begin() to the return of nap_scope_end()
 *
 * The memory of the scope's pool stays as long, even if the pool was joined before.
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
 * @pool:  where its fibers run
 *
 * The same fiber or thread has to end it, by nap_scope_end(). Returns 0; -EINVAL when an argument
 * is NULL; -EDEADLK in a task of @pool, or where a fiber waits as a thread (nap/fiber.h).
 */
int nap_scope_begin(struct nap_scope *scope, struct nap_pool *pool);

/**
 * nap_scope_spawn() - have a fiber run in a scope
 *
 * Called by the scope's owner, or a fiber of the scope; arguments as of nap_spawn(), but there is
 * no handle. Returns as nap_spawn(); -ECANCELED when the scope is canceled, or one of its fibers
 * has failed.
 */
int nap_scope_spawn(struct nap_scope *scope, nap_fiber_fn fn, void *arg);

/**
 * nap_scope_cancel() - ask all fibers of a scope to end
 *
 * As nap_fiber_cancel() of each fiber. No others are spawned from then on. Any thread or fiber that
 * knows that the scope has not ended: its owner, a fiber of the scope, or one that waits for such a
 * fiber. Returns 0, or -EINVAL.
 */
int nap_scope_cancel(struct nap_scope *scope);

/**
 * nap_scope_end() - wait until all fibers of a scope have ended
 *
 * The thread or fiber that has begun the scope. What the fibers wrote is visible, and their stacks
 * are free for others. When the calling fiber is canceled, or its pool stopped, the fibers are
 * canceled, too, and still waited for.
 *
 * The fibers of a stopped pool go on in its join only, which the program may mean to call after
 * this. So where the caller is none of that pool's fibers, this call ends the pool as
 * nap_pool_join() does: the fibers run on the calling thread, and a nap_pool_join() after that
 * still returns 0, and hands out what was not run. A worker of another pool does so in pieces of
 * about a millisecond, and runs its own pool's tasks and fibers in between, because the fibers of
 * the two pools may wait for each other. But a pool ends only when no thread waits in it. So a
 * worker that waits for a fiber of this pool, and runs a task on top of that wait which ends a scope
 * of this pool after its stop, would wait for itself.
 *
 * Returns 0; what the first that failed has returned; -ECANCELED when none has, but the caller was
 * canceled; -EDEADLK, and the scope stays open, where nap_scope_begin() would be -EDEADLK;
 * -ESHUTDOWN in the child of a fork, where none of them goes on; -EINVAL when @scope is NULL.
 */
intptr_t nap_scope_end(struct nap_scope *scope);

/**
 * nap_scope_end_until() - nap_scope_end() until a @deadline
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER. 0, or a time that has passed:
 *            the call does not wait
 * @result:   gets what nap_scope_end() would have returned, if this returns 0; NULL: it is not
 *            asked for
 *
 * After -ETIMEDOUT the scope is as open as it was: its fibers go on, it takes in others, may be
 * canceled, and is to be ended by another of these calls; except that it no longer cancels the
 * caller. After a stop this call may take longer than the deadline, by what a fiber does between
 * two waits.
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
