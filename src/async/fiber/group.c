/* SPDX-License-Identifier: MIT */
/*
 * A fiber that waits for a group (src/wait/group.h) is counted and listed like a thread from
 * outside. The fiber is notified by a function instead of an event.
 *
 * A stop of the group's pool ends the wait. If this is the fiber's own pool, its joiner ends the
 * wait (src/async/fiber/stop.c). Otherwise the fiber is in the list pool->foreign of the group's
 * pool (src/async/fiber/foreign.h). The fiber is not in that pool's list of waiters
 * (src/sync/waitlist.h): a waiter that leaves such a list wakes all other waiters there, so fibers
 * would wake each other again and again.
 */
#include "async/fiber/fiber.h"
#include "async/fiber/foreign.h"

#include <errno.h>

#include <nap/group.h>

#include "arch/atomic.h"
#include "async/fiber/budget.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "sync/gate.h"
#include "sync/pause.h"
#include "sync/waitlist.h"
#include "wait/group.h"
#include "worker/enter.h"
#include "worker/phase.h"

struct listing {
	struct nap__listener listener;
	struct nap__fiber_wait_node node;
};

struct waiting {
	struct nap_fiber *fiber;
	struct nap_group *group;
	struct nap__visit visit;	/* the visit of the group's pool */
	uint64_t deadline;
	bool counted;
};

static void listing_notify(struct nap__listener *listener, uint32_t reason)
{
	(void)reason;
	nap__fiber_wait_tell(&nap_container_of(listener, struct listing, listener)->node);
}

/* Returns 1 while the wait is not over; afterwards the result of the wait. */
static int waiting_is_over(struct waiting *w)
{
	if (group_is_complete(w->group))
		return 0;
	if (pool_forked(w->fiber->pool) || (w->visit.pool && pool_forked(w->visit.pool)))
		return -ESHUTDOWN;
	if (w->visit.stopped || (w->visit.pool && pool_canceled(w->visit.pool)))
		return -ECANCELED;
	/* Not noticed in tests when 2 for 1: the caller asks whether it is above 0. */
	return deadline_passed(w->deadline) ? nap__timed_out() : 1;
}

/*
 * Opens the wait, lists it, and sleeps. Returns 0: the caller checks again; or an error, which ends
 * the wait.
 */
static int sleep_once(struct waiting *w)
{
	uintptr_t *list = &w->group->waiters;
	struct nap__sleeper sleeper;
	struct listing listing;
	int err = nap__sleeper_begin(&sleeper, NULL);

	if (err)
		return err;
	sleeper_waits_for(&sleeper, NAP_TRACE_ON_GROUP, w->group);
	listener_init(&listing.listener, listing_notify);
	wait_node_init(&listing.node, &sleeper);
	if (!waitlist_add(list, &listing.listener.node)) {
		nap__sleeper_withdraw(&sleeper);
		/* Not noticed in tests when -1 returned: it is too late to give up the wait. */
		return 0;
	}
	err = foreign_sleep(&w->visit, &sleeper, w->deadline);
	if (err && !waitlist_take_out(list, &listing.listener.node, EVENT_LATCH))
		nap__fiber_wait_node_await(&listing.node);
	is_given(&listing, sizeof(listing));
	return err == FOREIGN_ENDS ? 0 : err;
}

/*
 * Gives up the wait. If the group is complete, waits until its list is closed, as
 * src/wait/group_wait.c does.
 */
static int waiting_give_up(struct waiting *w, int err)
{
	/* Not noticed in tests when 1 for 0: it sleeps one pause earlier. */
	uint32_t looks = 0;

	if (!w->counted || err == -ESHUTDOWN || group_uncount_waiter(w->group))
		return err;
	while (!waitlist_closed(&w->group->waiters))
		pause_briefly(&looks);
	return 0;
}

static int wait_for_group(struct waiting *w)
{
	int err = waiting_is_over(w);

	/* A group that is complete costs no budget. Here the fiber is in no list or gate yet. */
	if (err && w->deadline)
		nap__budget_spend();
	while (err > 0) {
		if (!w->counted)
			w->counted = group_count_waiter(w->group);
		/* No thread closes the list of a group that is complete without waiters. */
		if (!w->counted && group_is_complete(w->group))
			return 0;
		err = sleep_once(w);
		if (!err)
			err = waiting_is_over(w);
	}
	return err ? waiting_give_up(w, err) : 0;
}

bool nap__fiber_group_wait(struct nap_group *group, uint64_t deadline, int *err)
{
	struct waiting w = { .fiber = nap__fiber_waiting(), .group = group,
			     .deadline = deadline, .visit = { .pool = group->pool } };

	if (!w.fiber)
		return false;
	*err = wait_for_group(&w);
	if (w.visit.inside && !pool_forked(w.visit.pool))
		gate_leave(&w.visit.pool->visits);
	if (!*err)
		happens_after(group);
	return true;
}
