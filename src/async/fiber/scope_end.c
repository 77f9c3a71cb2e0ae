/* SPDX-License-Identifier: MIT */
/*
 * The end of a scope: nap/scope.h. Typically the caller waits for the group that counts the fibers.
 * After a stop of their pool the caller makes sure that some thread runs them.
 */
#include <nap/scope.h>
#include <nap/timer.h>

#include <errno.h>

#include "async/fiber/fiber.h"
#include "async/fiber/scope.h"
#include "life/pool.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "sync/pause.h"
#include "worker/enter.h"
#include "worker/phase.h"
#include "worker/self.h"

/* How long, in one go, a worker of another pool works on the end of the scope's pool. */
#define PIECE_NS 1000000u

/*
 * Ends the scope's pool, which is stopped, if the caller is no thread of this pool. A worker of
 * another pool stops after PIECE_NS, because the fibers of the scope may wait for fibers of the
 * worker's pool. Returns 0, or an error: the pool has not ended. Not inlined, because the caller
 * may have given way, and be on another thread.
 */
static __attribute__((noinline)) int end_pool(struct nap_pool *pool, uint64_t deadline)
{
	uint64_t piece = NAP_FOREVER;
	int err = -EDEADLK;

	unseen_begin();
	if (nap__self()->worker)
		piece = deadline_after(PIECE_NS);
	if (!nap__is_inside(pool))
		err = nap__pool_end(pool, piece < deadline ? piece : deadline);
	unseen_end();
	return err;
}

static bool is_waiting_fiber(void)
{
	bool is_one;

	unseen_begin();
	is_one = nap__fiber_waiting();
	unseen_end();
	return is_one;
}

/* Gives way to the tasks and fibers of the caller's own pool, which the scope's fibers may need. */
static void let_own_pool_run(uint32_t *looks)
{
	struct nap_pool *pool = nap_worker_pool(nap_worker_self());

	/*
	 * In a stopped pool a sleep returns at once, with an error. Then the caller yields, because
	 * the joiner runs the pool's fibers one after the other.
	 */
	if (is_waiting_fiber()) {
		if (nap_sleep(PIECE_NS))
			nap_yield();
	} else if (!pool || nap_pool_help(pool, 1) <= 0) {
		pause_briefly(looks);	/* Not noticed in tests when dropped: it saves looks. */
	}
}

/*
 * Lets the scope's fibers run. The caller cannot wait for them, because its own pool or the scope's
 * pool is stopped. The fibers of a stopped pool run only in its join, which the program may call
 * only after this call. So a caller from outside ends the scope's pool here. A fiber of that pool
 * gives way: the joiner runs the fibers one after the other (src/async/fiber/stop.c).
 */
static void let_fibers_run(struct nap_scope *scope, uint64_t deadline, uint32_t *looks)
{
	if (!pool_canceled(scope->pool) || end_pool(scope->pool, deadline))
		let_own_pool_run(looks);
}

/*
 * Waits for the scope's fibers, also where no other thread runs them now: the fibers use what lies
 * on the caller's stack.
 */
static int wait_for_fibers(struct nap_scope *scope, uint64_t deadline)
{
	int err;

	do
		err = nap_group_wait_until(&scope->group, deadline);
	while (err == -EDEADLK);
	return err;
}

/* Called when the caller's wait was canceled: cancels the scope's fibers, and waits for them. */
static int end_canceled(struct nap_scope *scope, uint64_t deadline)
{
	bool shielded = nap_fiber_shield(true);
	uint32_t looks = 0;	/* Not noticed in tests when 1 for 0: the first pause is longer. */
	int err;

	nap_scope_cancel(scope);
	while ((err = wait_for_fibers(scope, deadline)) == -ECANCELED) {
		if (deadline_passed(deadline)) {
			err = -ETIMEDOUT;
			break;
		}
		let_fibers_run(scope, deadline, &looks);
	}
	nap_fiber_shield(shielded);
	return err;
}

int nap_scope_end_until(struct nap_scope *scope, uint64_t deadline, intptr_t *result)
{
	intptr_t canceled = 0;
	bool would_block;
	int err;

	if (!scope)
		return -EINVAL;
	if (pool_forked(scope->pool))
		return -ESHUTDOWN;
	unseen_begin();
	would_block = scope_would_block(scope->pool);
	if (!would_block)
		nap__scope_close(scope);
	unseen_end();
	if (would_block)
		return -EDEADLK;
	err = wait_for_fibers(scope, deadline);
	if (err == -ECANCELED) {
		canceled = err;
		err = end_canceled(scope, deadline);
	}
	if (!err && result)
		*result = scope->failure ? scope->failure : canceled;
	return err;
}

intptr_t nap_scope_end(struct nap_scope *scope)
{
	/* Not noticed in tests when 1 for 0: without an error the result is set below. */
	intptr_t result = 0;
	int err = nap_scope_end_until(scope, NAP_FOREVER, &result);

	return err ? err : result;
}
