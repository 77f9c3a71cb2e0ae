/* SPDX-License-Identifier: MIT */
/*
 * Waiting until a pool has nothing to do, without a counter that every task would have to touch:
 * the idle word says that every worker sleeps and no notification is out.
 *
 * Typically the pool is busy. The thread lists itself with the pool, calls nap__idle_watch(), and
 * sleeps; the worker that falls idle last wakes it, and it looks again.
 */
#include "wait/quiesce.h"

#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "idle/at_rest.h"
#include "idle/idle.h"
#include "idle/retry.h"
#include "os/happens.h"
#include "sched/permits.h"
#include "sync/deadline.h"
#include "sync/debug.h"
#include "sync/event.h"
#include "sync/gate.h"
#include "sync/waitlist.h"
#include "wait/help.h"
#include "worker/enter.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/worker.h"

/* Whether it was quiet when a joiner saw it last, who has then given up. */
static bool was_quiet(struct nap_pool *pool)
{
	/* Pairs with give_up_quiet(): what the tasks did. [J2] */
	return nap_load_acquire(&pool->join) == JOIN_QUIET;
}

/* Sleep until EVENT_POOL, unless what it would announce is there already. */
static void wait_for_pool(struct nap_pool *pool, uint64_t deadline, bool no_help, uint64_t *pause)
{
	uint32_t event = 0;
	struct nap__waiter node = { .event = &event };

	waitlist_add(&pool->waiters, &node);
	nap__idle_watch(pool);
	/*
	 * Enlist before looking; pairs with stop() in pool.c, end() and give_up_quiet() in
	 * pool_join.c, nap__guest_end(), deep_begin(), nap__idle_spawn_failed(). [Q1]
	 */
	nap_fence_seq_cst();
	if (nap__retry_start(pool) || no_help)
		deadline = deadline_or_pause(deadline, pause);
	if (pool_canceled(pool) || gate_is_closed(&pool->visits) || was_quiet(pool) ||
	    nap__pool_at_rest(pool) ||
	    (needs_help_or_look(pool) && !no_help) ||
	    !sleep_on_event(&event, EVENT_POOL, deadline))
		waitlist_remove(&pool->waiters, &node, EVENT_POOL);
	is_given(&event, sizeof(event));
	is_given(&node, sizeof(node));
}

/* 1: go on waiting; anything else is the result. The caller is inside. */
static int quiesce_once(struct nap_pool *pool, uint64_t deadline, uint64_t *pause)
{
	bool no_help = false;

	if (pool_canceled(pool))
		return -ECANCELED;
	if (was_quiet(pool) || nap__pool_at_rest(pool))
		return 0;
	/* Also when there is no time: a caller that only polls is to get somewhere. */
	if (needs_help_or_look(pool)) {
		no_help = !nap__help_one(pool);
		if (!no_help && !deadline_passed(deadline)) {
			*pause = PAUSE_FIRST_NS;
			return 1;
		}
		if (!no_help && !pool_forked(pool) && nap__pool_at_rest(pool))
			return 0;
	}
	if (deadline_passed(deadline))
		return -ETIMEDOUT;
	wait_for_pool(pool, deadline, no_help, pause);
	return 1;
}

/* All workers have left, so everything was run, or the pool was stopped. */
static int closed(struct nap_pool *pool)
{
	return pool_canceled(pool) ? -ECANCELED : 0;
}

int nap__quiesce(struct nap_pool *pool, uint64_t deadline)
{
	uint64_t pause = PAUSE_FIRST_NS;
	int err;

	nothing_leaves();
	if (pool_forked(pool))
		return -ESHUTDOWN;
	/* Inside until it knows: after that the pool may be gone. */
	if (!visits_enter(pool))
		return closed(pool);
	do {
		err = quiesce_once(pool, deadline, &pause);
		/* A task that was run here has forked: others who were inside are not. */
		if (pool_forked(pool))
			return err > 0 ? -ESHUTDOWN : err;
		if (err > 0 && gate_is_closed(&pool->visits))
			err = closed(pool);
	} while (err > 0);
	gate_leave(&pool->visits);
	return err;
}

int nap_pool_quiesce_until(struct nap_pool *pool, uint64_t deadline)
{
	int err;

	if (!pool)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	check_jump(__builtin_return_address(0));
	if (own_worker(pool))
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
