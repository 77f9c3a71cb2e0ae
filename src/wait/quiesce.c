/* SPDX-License-Identifier: MIT */
/*
 * Waiting until a pool has nothing to do, without a counter that every task would have to touch:
 * the word of the idle protocol (src/idle/) says that every worker sleeps, and that no notification
 * is unanswered.
 *
 * Typically the pool is busy. The thread lists itself with the pool, calls nap__idle_watch(), and
 * sleeps; the worker that falls idle last wakes the thread, which checks again.
 */
#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "idle/idle.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "sync/debug.h"
#include "sync/gate.h"
#include "wait/help.h"
#include "wait/wait.h"
#include "worker/enter.h"
#include "worker/jump.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/self.h"

/* Whether a joiner has found the pool quiet, and then given up. */
static bool was_quiet(struct nap_pool *pool)
{
	/* Sees what the tasks did: pairs with give_up_quiet(). [J2] */
	return nap_load_acquire(&pool->join) == JOIN_QUIET;
}

/*
 * Returns the result at the end of the pool: 0 if every task was run, an error if the pool was
 * stopped.
 */
static int quiet_or_canceled(struct nap_pool *pool)
{
	return pool_canceled(pool) ? -ECANCELED : 0;
}

static int quiesce_is_over(struct nap__wait *wait)
{
	struct nap_pool *pool = wait->pool;

	/* A task that this wait ran has forked, and this process is the child. */
	if (pool_forked(pool))
		return -ESHUTDOWN;
	if (pool_canceled(pool))
		return -ECANCELED;
	if (was_quiet(pool) || nap__pool_at_rest(pool))
		return 0;
	return gate_is_closed(&pool->visits) ? quiet_or_canceled(pool) : 1;
}

static const struct nap__wait_ops quiesce_ops = {
	.is_over = quiesce_is_over,
	.name = "quiet pool",
};

int nap__quiesce(struct nap_pool *pool, uint64_t deadline)
{
	/*
	 * The wait stays inside the visits until the result is known, because the pool may be freed
	 * then.
	 */
	struct nap__wait wait = { .ops = &quiesce_ops, .pool = pool, .deadline = deadline,
				  .helps = true, .visits = true, .watches = true, .inside = true };
	int err;

	nothing_leaves();
	if (pool_forked(pool))
		return -ESHUTDOWN;
	if (!visits_enter(pool))
		return quiet_or_canceled(pool);
	/*
	 * The caller helps before the deadline is checked, so that a caller that only polls, with a
	 * deadline of 0, makes progress, too.
	 */
	if (needs_help_or_look(pool) && quiesce_is_over(&wait) > 0)
		nap__help_one(pool);
	err = nap__wait(&wait);
	is_given(&wait, sizeof(wait));
	return err;
}

int nap_pool_quiesce_until(struct nap_pool *pool, uint64_t deadline)
{
	int err;

	if (!pool)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	check_jump(__builtin_return_address(0));
	if (nap__is_inside(pool))
		return -EDEADLK;
	unseen_begin();
	err = nap__quiesce(pool, deadline);
	if (!err)
		happens_after(pool);
	unseen_end();
	return err;
}

int nap_pool_quiesce_for(struct nap_pool *pool, uint64_t timeout_ns)
{
	return nap_pool_quiesce_until(pool, deadline_after(timeout_ns));
}

int nap_pool_quiesce(struct nap_pool *pool)
{
	return nap_pool_quiesce_until(pool, NAP_FOREVER);
}
