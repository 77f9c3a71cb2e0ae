/* SPDX-License-Identifier: MIT */
/*
 * Beginning a pool's end, and asking to be notified of the end: nap/end.h. Typically workers run
 * the remaining tasks, and the last worker finds that it is the last (src/kit/ends.c). The calls
 * wait for no task; they only wait for threads that are inside nap_schedule().
 */
#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "idle/idle.h"
#include "kit/ends.h"
#include "life/pool.h"
#include "os/happens.h"
#include "sync/debug.h"
#include "sync/gate.h"
#include "wait/deadlock.h"
#include "wait/help.h"
#include "worker/enter.h"
#include "worker/jump.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/self.h"

/*
 * If there is no worker and none can be started, a caller outside runs the remaining tasks of a
 * drain, because no other thread would. The thread that runs the last task checks for the end.
 */
static void run_alone(struct nap_pool *pool)
{
	/* Not noticed in tests when dropped: nap__help_one() says so, too. */
	nothing_leaves();
	/* Not noticed in tests when && for || (3): a pool with workers needs no help below. */
	if (own_worker(pool) || pool_phase(pool) != PHASE_DRAIN || !all_at_nest_limit(pool) ||
	    !nap__intake_settles(pool))
		return;
	if (nap__needs_help(pool))
		nap__idle_notify(pool);
	/* A task may have forked, and this may be the child. */
	while (!pool_forked(pool) && ends_wait(pool) && nap__needs_help(pool) &&
	       nap__help_one(pool))
		;
}

/* Checks for the pool's end, and ends the caller's visit. */
static void look_and_leave(struct nap_pool *pool)
{
	nap__ends_look(pool);
	if (ends_wait(pool))
		run_alone(pool);
	if (!pool_forked(pool))
		gate_leave(&pool->visits);
}

int nap_pool_shutdown(struct nap_pool *pool, enum nap_shutdown mode)
{
	int err;

	if (!pool || (mode != NAP_DRAIN && mode != NAP_STOP))
		return -EINVAL;
	unseen_begin();
	err = nap__shutdown(pool, mode);
	/* raise the phase before checking; pairs with nap_pool_notify_end() [N1] */
	nap_fence_seq_cst();
	if (!err && ends_wait(pool) && visits_enter(pool))
		look_and_leave(pool);
	unseen_end();
	return err;
}

static void notify_end(struct nap_pool *pool, struct nap_end *end)
{
	if (nap__ends_add(pool, end)) {
		/*
		 * The end is listed before the check. The fence between the two is in
		 * nap__ends_look(); it pairs with those of all threads that check. [N1]
		 */
		look_and_leave(pool);
		return;
	}
	happens_after(pool);
	end_push(end);
	gate_leave(&pool->visits);
}

int nap_pool_notify_end(struct nap_pool *pool, struct nap_end *end)
{
	int err = 0;

	if (!pool || !end || !end->push || !end->cq)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	check_jump(__builtin_return_address(0));
	unseen_begin();
	if (visits_enter(pool))
		notify_end(pool, end);
	else
		err = -ESHUTDOWN;
	unseen_end();
	return err;
}
