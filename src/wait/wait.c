/* SPDX-License-Identifier: MIT */
/*
 * The loop of every wait: src/wait/wait.h.
 *
 * A thread that waits may have two nodes listed, one with the awaited object and one with the pool.
 * The nodes stay listed from one sleep to the next. After a spurious wake, which has taken out one
 * node, only this node is listed again. (Taking out both nodes would wake the other threads in the
 * lists, and these would wake each other.) The thread leaves the lists before it returns or runs a
 * task.
 *
 * A thread that is listed with a pool is a visitor of it, so that the joiner waits until the thread
 * has seen the end of the pool. A worker that runs a task in its wait is no visitor.
 */
#include "wait/wait.h"

#include <errno.h>

#include "arch/atomic.h"
#include "idle/idle.h"
#include "idle/spin.h"
#include "sched/lend.h"
#include "sched/schedule.h"
#include "sync/deadline.h"
#include "sync/event.h"
#include "sync/gate.h"
#include "wait/help.h"
#include "worker/enter.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/self.h"

void nap__wait_delist(struct nap__wait *wait)
{
	if (wait->listed && wait->list)
		waitlist_remove(wait->list, wait->node, EVENT_LATCH);
	else if (wait->listed)
		wait->ops->delist(wait);
	if (wait->visitor_listed)
		waitlist_remove(&wait->pool->waiters, &wait->visitor, EVENT_POOL);
	wait->listed = wait->visitor_listed = false;
}

void nap__wait_leave(struct nap__wait *wait)
{
	nap__wait_delist(wait);
	/*
	 * The pool may be freed once the thread has left. In the child of a fork no thread is
	 * inside.
	 */
	if (wait->inside && !pool_forked(wait->pool))
		gate_leave(&wait->pool->visits);
	wait->inside = false;
}

void nap__wait_goes_on(struct nap__wait *wait)
{
	wait->pause = wait->first_pause ? wait->first_pause : PAUSE_FIRST_NS;
	if (wait->ops->goes_on)
		wait->ops->goes_on(wait);
}

/*
 * If no worker of the pool is able to run the pool's tasks, runs one task. False: no task was run.
 */
static bool wait_help(struct nap__wait *wait)
{
	wait->unserved = wait->pool && wait->helps &&
			 (wait->looks || nap__needs_help(wait->pool));
	wait->looks = false;
	if (!wait->unserved || (wait->as && !wait->as->may_help(wait)))
		return false;
	nap__wait_delist(wait);
	wait->unserved = !nap__help_one(wait->pool);
	if (!wait->unserved)
		nap__wait_goes_on(wait);
	return !wait->unserved;
}

/* Lists the thread with the pool, and then checks the pool. False: the thread has to help. */
static bool wait_visit(struct nap__wait *wait, bool *owed)
{
	struct nap_pool *pool = wait->pool;

	if (!wait->visitor_listed) {
		wait->inside = wait->inside || visits_enter(pool);
		wait->visitor_listed = wait->inside;
		if (wait->inside)
			waitlist_add(&pool->waiters, &wait->visitor);
		else if (!pool_canceled(pool))
			wait->pool = NULL;	/* because every task was run */
	}
	if (wait->watches)
		nap__idle_watch(pool);	/* after the listing, because a wake-up clears the watch */
	/*
	 * List before checking; pairs with stop() in src/life/pool.c, send_all_home() in
	 * src/life/pool_end.c, give_up_quiet() in src/life/pool_join.c, nap__guest_end(),
	 * nap__nest_limit_begin(), nap__idle_spawn_failed(). [Q1]
	 */
	nap_fence_seq_cst();
	*owed = wait->inside && nap__retry_start(pool);
	wait->looks = wait->inside && wait->helps && !wait->unserved && needs_help_or_look(pool);
	return !wait->looks;
}

/*
 * Lists the thread for its sleep. False: the caller has to check again. *@owed: a failed start is
 * to be retried.
 */
static bool wait_enlist(struct nap__wait *wait, bool *owed)
{
	struct nap_pool *pool;

	if (wait->ops->enlist && !wait->ops->enlist(wait))
		return false;
	if (wait->pool && wait->visits && !wait_visit(wait, owed))
		return false;
	pool = wait->pool;
	/* A group's is_over() clears wait->pool if the pool has ended: no thread is listed then. */
	return wait->ops->is_over(wait) > 0 && wait->pool == pool;
}

/* Notes for a dump that the thread sleeps in @wait; NULL: it no longer sleeps. */
static void sleeps_in(struct nap__wait *wait)
{
#ifndef NAP_NO_TRACE
	nap__self()->sleeps = wait;
	if (wait && !wait->since)
		wait->since = nap__os_now();
#else
	(void)wait;
#endif
}

/* Sleeps until the time @until at most. Returns why the thread was woken. */
static uint32_t sleep_listed(struct nap__wait *wait, uint64_t until)
{
	uint32_t reasons = 0;

	if (wait->parks) {
		wait->parks = nap__park(wait->worker, until, &reasons) != NAP_EXIT;
		/*
		 * If a stop came after the check of the phase, no thread sets the event; so the
		 * caller checks again.
		 */
		if (!wait->parks)
			return 0;
	} else {
		/*
		 * A wait for quiet does not spin, because it is long; nor does a wait outside the
		 * visits, because the pool may be freed.
		 */
		if (!wait->worker && wait->inside && !wait->watches)
			nap__spin(wait->pool, NULL, wait->event, until);
		reasons = sleep_on_event(wait->event, EVENT_LATCH | EVENT_POOL | EVENT_MESSAGE,
					 until);
	}
	return reasons;
}

static void wait_sleep(struct nap__wait *wait)
{
	uint64_t until = wait->deadline;
	uint32_t reasons;
	bool owed = false;

	if (!wait_enlist(wait, &owed))
		return;
	if (wait->pauses || wait->unserved || owed)
		until = deadline_or_pause(until, &wait->pause);
	sleeps_in(wait);
	reasons = sleep_listed(wait, until);
	sleeps_in(NULL);
	if (reasons & EVENT_POOL)
		wait->visitor_listed = false;
	if (!(reasons & EVENT_LATCH))
		return;
	wait->listed = false;
	nap__wait_goes_on(wait);
}

int nap__wait(struct nap__wait *wait)
{
	int err;

	nothing_leaves();
	if (!wait->event)
		wait->event = wait->worker ? &wait->worker->event : &wait->own_event;
	wait->visitor.event = wait->event;
	if (wait->node)
		wait->node->event = wait->event;
	if (wait->as)
		wait->as->begin(wait);
	nap__wait_goes_on(wait);
	do {
		err = wait->ops->is_over(wait);
		if (err > 0 && deadline_passed(wait->deadline))
			err = -ETIMEDOUT;
		if (err <= 0 || (wait->as && wait->as->run(wait)) || wait_help(wait))
			continue;
		if (wait->ops->gives_up && wait->ops->gives_up(wait))
			err = -EDEADLK;
		else
			wait_sleep(wait);
	} while (err > 0);
	wait_leave(wait);
	if (wait->as)
		wait->as->end(wait);
	return err;
}
